import { createLogger } from '@settle/observability';
import { eventually } from '@settle/testing';
import { ReplicaCatchUp } from './replica-catch-up.js';

const logger = createLogger({ level: 'silent', service: 'spec' });

describe('CaughtUp', () => {
  it('given a cluster that is away and then slow, when it is asked, then it says yes only once all was taken', async () => {
    const answers = [() => Promise.reject(new Error('away')), async () => false, async () => true];
    let asked = 0;
    const before: boolean[] = [];
    const caughtUp: ReplicaCatchUp = new ReplicaCatchUp(async () => {
      const answer = answers[asked++];
      if (asked > 1) before.push(caughtUp.isDone);
      return answer?.() ?? true;
    }, logger);
    expect(caughtUp.isDone).toBe(false);
    await eventually(() => expect(caughtUp.isDone).toBe(true));
    expect([asked, before]).toEqual([3, [false, false]]);
  });

  it('given that it is stopped, when the answer comes, then it asks no more', async () => {
    let asked = 0;
    let answer = (_hasTaken: boolean): void => undefined;
    const caughtUp = new ReplicaCatchUp(() => new Promise((resolve) => ((asked += 1), (answer = resolve))), logger);
    caughtUp.stop();
    answer(false);
    await new Promise((resolve) => setImmediate(resolve));
    expect([asked, caughtUp.isDone]).toEqual([1, false]);
  });
});
