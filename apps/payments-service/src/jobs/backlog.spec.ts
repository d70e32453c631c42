import { LIMITS } from '@settle/config';
import { pauseAfterBatch } from './backlog.js';

const { workerTickMs } = LIMITS.payments;

describe('the pause after a batch of open work', () => {
  it.each([
    ['a full batch', { completed: 500, limit: 500, tookMs: 120 }, 120],
    ['a full batch under load', { completed: 500, limit: 500, tookMs: 60_000 }, workerTickMs],
    ['a batch that is not full', { completed: 499, limit: 500, tookMs: 120 }, undefined],
    ['no work', { completed: 0, limit: 500, tookMs: 1 }, undefined],
  ])('given %s, when it has ended, then the next one follows after as long, within bounds', (_what, batch, pauseMs) => {
    expect(pauseAfterBatch(batch)).toBe(pauseMs);
  });
});
