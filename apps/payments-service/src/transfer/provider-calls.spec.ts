import { Clock } from '../storage/clock.js';
import { prepareCall } from './provider-calls.js';

const US_PER_MS = 1_000;
const HOUR_MS = 3_600_000;

describe('prepareCall', () => {
  it('given a clock that was ahead for a moment, when a call that may still begin is prepared, then a 404 to it is not final', () => {
    let nowMs = 1_800_000_000_000;
    const clock = new Clock(() => nowMs);
    const stored = { key: 'c1', userId: '1', amountCents: 100, beginBeforeUs: nowMs * US_PER_MS + 60_000_000 };
    nowMs += HOUR_MS;
    clock.nowUs();
    expect(prepareCall(stored, clock).expected.isMissingFinal).toBe(true);
    nowMs -= HOUR_MS;
    expect(prepareCall(stored, clock).expected.isMissingFinal).toBe(false);
  });
});
