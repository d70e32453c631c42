import { LIMITS } from '@settle/config';
import { StoreUnavailable } from '@settle/event-store';
import { ChangeBatch } from './change-batch.js';

const { changeTries } = LIMITS.provider;
const CHANGE = { kind: 'charge', key: 'c1', version: 1 } as const;

describe('ChangeBatch', () => {
  /** Tries a change that is never applied, until it is to be given up, which ends as told. */
  async function tryUntilGivenUp(giveUp: () => Promise<void>) {
    const batch = new ChangeBatch({ apply: () => Promise.reject(new TypeError('a bug')), giveUp });
    for (let tries = 1; tries < changeTries; tries += 1) await batch.attempt([CHANGE]);
    return batch;
  }

  it('given a change that can neither be applied nor recorded, when it was tried often enough, then it holds the others no longer', async () => {
    const batch = await tryUntilGivenUp(() => Promise.reject(new TypeError('another bug')));
    const { error, endOf } = await batch.attempt([CHANGE]);
    expect([error, endOf(CHANGE)]).toEqual([null, 'given up']);
  });

  it('given a store that is unavailable, when a change is to be given up, then that is tried again', async () => {
    let isAway = true;
    const giveUp = async () => {
      if (isAway) throw new StoreUnavailable('no response');
    };
    const batch = await tryUntilGivenUp(giveUp);
    const { error, endOf } = await batch.attempt([CHANGE]);
    expect([error, endOf(CHANGE)]).toEqual([expect.any(StoreUnavailable), null]);
    isAway = false;
    expect((await batch.attempt([CHANGE])).endOf(CHANGE)).toBe('given up');
  });
});
