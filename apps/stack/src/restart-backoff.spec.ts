import { LIMITS } from '@settle/config';
import { RestartBackoff } from './restart-backoff.js';

const { restartPauseMinMs, restartPauseMaxMs, soundAfterMs } = LIMITS.stack;

describe('RestartBackoff', () => {
  it('given one death after the other, when the pause is asked for, then it doubles up to its bound', () => {
    const pause = new RestartBackoff();
    const pauses = Array.from({ length: 10 }, () => pause.afterLife(10));
    expect(pauses.slice(0, 3)).toEqual([restartPauseMinMs, 2 * restartPauseMinMs, 4 * restartPauseMinMs]);
    expect(pauses.at(-1)).toBe(restartPauseMaxMs);
  });

  it('given a long life, when it ends, then the pause is the first again', () => {
    const pause = new RestartBackoff();
    for (let death = 0; death < 5; death += 1) pause.afterLife(10);
    expect(pause.afterLife(soundAfterMs)).toBe(restartPauseMinMs);
  });
});
