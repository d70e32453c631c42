import {
  NO_CONTRADICTION,
  answerOrphanRepayment,
  evolveContradiction,
  newestOrphanRepayment,
  requestOrphanRepayment,
  type ContradictionState,
} from './contradiction.js';
import type { ContradictionEvent } from './funding-events.js';

const decision = { operator: 'jo', reason: 'restored', reference: '' };
const by = { decision, atUs: 2 };
const found: ContradictionEvent = {
  type: 'ContradictionFound',
  data: { key: 'p:u:1', contradiction: 'unknown_key', version: 1, atUs: 1 },
};
const closed: ContradictionEvent = { type: 'ContradictionClosed', data: by };
const after = (...events: readonly ContradictionEvent[]) => events.reduce(evolveContradiction, NO_CONTRADICTION);

function requestAfter(state: ContradictionState) {
  if (state.status === 'none') throw new Error('There is no contradiction');
  return requestOrphanRepayment(state, 'p:u:1', { userId: 'u', amountCents: 500, ...by });
}

describe('an orphan charge', () => {
  const requested = requestAfter(after(found));

  it('given no repayment, when one is requested, then it has a key of its own and a time by which it must begin', () => {
    expect(requested).toMatchObject({ data: { key: 'p:u:1:late', beginBeforeUs: 30_000_002, decision } });
    expect(newestOrphanRepayment(after(found, requested))).toEqual({
      ...{ key: 'p:u:1:late', userId: 'u', amountCents: 500, beginBeforeUs: 30_000_002, state: 'requested' },
    });
  });

  it.each([
    ['accepted', 'closed'],
    ['refused', 'open'],
    ['missing', 'open'],
  ] as const)('given a requested repayment, when it is %s, then the orphan is %s', (answer, status) => {
    const state = after(found, requested, ...answerOrphanRepayment('p:u:1:late', answer, by));
    expect([state.status, newestOrphanRepayment(state)?.state]).toEqual([status, answer]);
  });

  it('given a repayment that never began, when the next is requested, then it has the next key', () => {
    const missing = after(found, requested, ...answerOrphanRepayment('p:u:1:late', 'missing', by));
    expect(requestAfter(missing).data.key).toBe('p:u:1:late:2');
  });

  it('given a closed contradiction, when it is found again, then it is open and its repayments are kept', () => {
    expect(after(found, requested, closed, found)).toMatchObject({
      status: 'open',
      repayments: [{ state: 'requested' }],
    });
    expect(after(closed)).toEqual(NO_CONTRADICTION);
  });
});
