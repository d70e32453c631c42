import { LIMITS } from '@settle/config';
import { leastBusy, type Backend } from './backend.js';

type State = Partial<Pick<Backend, 'isReady' | 'inProgress'>>;
const backends = (...states: State[]) =>
  states.map((state) => ({ isReady: true, inProgress: 0, ...state }) as unknown as Backend);
const full = LIMITS.stack.requestsPerInstance;

describe('leastBusy', () => {
  it('given equals, when requests come one after the other, then each gets its turn', () => {
    const all = backends({}, {}, {});
    expect([1, 2, 3, 4].map((turn) => all.indexOf(leastBusy(all, turn, null)!))).toEqual([1, 2, 0, 1]);
  });

  it("given one with less to do, when it is anybody's turn, then it is chosen", () => {
    const all = backends({ inProgress: 2 }, { inProgress: 1 }, { inProgress: 2 });
    expect([1, 2, 3].map((turn) => all.indexOf(leastBusy(all, turn, null)!))).toEqual([1, 1, 1]);
  });

  it('given one that is not ready, when another is, then the other is chosen, however busy; else it itself', () => {
    const all = backends({ isReady: false }, { inProgress: full - 1 });
    expect(leastBusy(all, 0, null)).toBe(all[1]);
    expect(leastBusy(all.slice(0, 1), 0, null)).toBe(all[0]);
  });

  it('given nobody, or only those who refused or are full, when one is chosen, then there is none', () => {
    const all = backends({}, { inProgress: full });
    expect(leastBusy([], 0, null)).toBeNull();
    expect(leastBusy(all, 0, new Set(all.slice(0, 1)))).toBeNull();
  });
});
