import { LIMITS } from '@settle/config';
import { ProjectionLag } from './projection-lag.js';

const { lagMarkEveryMs, lagMarksKept } = LIMITS.payments;

describe('the lag of the read models', () => {
  let atMs: number;
  let lag: ProjectionLag;
  beforeEach(() => {
    atMs = 0;
    lag = new ProjectionLag(() => atMs);
  });

  it('given answers that need later and later positions, when some are reached, then the oldest that is not counts', () => {
    for (const position of [10, 20, 30]) {
      lag.recordWait(position);
      atMs += 1_000;
    }
    expect(lag.behindMs).toBe(3_000);
    lag.recordReached(9);
    expect(lag.behindMs).toBe(3_000);
    lag.recordReached(20);
    expect(lag.behindMs).toBe(1_000);
    lag.recordReached(30);
    expect(lag.behindMs).toBe(0);
  });

  it('given many answers within a moment, when the first position is reached, then nothing is left', () => {
    for (let position = 1; position <= 50; position += 1) lag.recordWait(position);
    atMs += 10;
    lag.recordReached(1);
    expect(lag.behindMs).toBe(0);
  });

  it('given read models that stand still for long, when answers go on, then the oldest still counts', () => {
    for (let position = 1; position <= 2 * lagMarksKept; position += 1) {
      lag.recordWait(position);
      atMs += lagMarkEveryMs;
    }
    expect(lag.behindMs).toBe(2 * lagMarksKept * lagMarkEveryMs);
    lag.recordReached(2 * lagMarksKept);
    expect(lag.behindMs).toBe(0);
  });
});
