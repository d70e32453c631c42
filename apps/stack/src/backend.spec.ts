import { LIMITS } from '@settle/config';
import { leastBusy, type Backend } from './backend.js';

type State = Partial<Pick<Backend, 'isReady' | 'inProgress'>>;
const backends = (...states: State[]) =>
  states.map((state) => ({ isReady: true, inProgress: 0, ...state }) as unknown as Backend);
const { requestsPerInstance: full, requestsKeptForFew: kept } = LIMITS.stack;
const any = { turn: 0, tried: null, hasFew: false };

describe('leastBusy', () => {
  it('given equals, when requests come one after the other, then each gets its turn', () => {
    const all = backends({}, {}, {});
    expect([1, 2, 3, 4].map((turn) => all.indexOf(leastBusy(all, { ...any, turn })!))).toEqual([1, 2, 0, 1]);
  });

  it('given an instance with less to do, when any instance is next in turn, then it is chosen', () => {
    const all = backends({ inProgress: 2 }, { inProgress: 1 }, { inProgress: 2 });
    expect([1, 2, 3].map((turn) => all.indexOf(leastBusy(all, { ...any, turn })!))).toEqual([1, 1, 1]);
  });

  it('given one that is not ready, when another is, then the other is chosen, however busy; else it itself', () => {
    const all = backends({ isReady: false }, { inProgress: full - 1 });
    expect(leastBusy(all, any)).toBe(all[1]);
    expect(leastBusy(all.slice(0, 1), any)).toBe(all[0]);
  });

  it('given one that is full, when a caller with few requests comes, then it has places for that one, within bounds', () => {
    const all = backends({ inProgress: full }, { inProgress: full + kept });
    expect(leastBusy(all, { ...any, hasFew: true })).toBe(all[0]);
    expect(leastBusy(all.slice(1), { ...any, hasFew: true })).toBeNull();
  });

  it('given no instance, or only full ones and those that refused, when one is chosen, then the result is null', () => {
    const all = backends({}, { inProgress: full });
    expect(leastBusy([], any)).toBeNull();
    expect(leastBusy(all, { ...any, tried: new Set(all.slice(0, 1)) })).toBeNull();
  });
});
