import type { PairRecord } from '@settle/contracts';
import { pair, person } from '../../test/ledger-lab/people.fixture.js';
import { relationOf } from './relations.js';

describe('what one user is to another', () => {
  const [one, other] = [person(), person()];
  const ofOne = (epochs: { users: number; pair: number }) => {
    const trusted = { ...pair(other, one, { trusts: true }), epoch: epochs.pair };
    const two = { one: { ...one, epoch: epochs.users }, other: { ...other, epoch: epochs.users }, pair: trusted };
    return relationOf(two, one.card.id).settlesCharges;
  };

  it('given trust, when both users were announced after a restore, then it counts once the pair was, too', () => {
    expect([
      ofOne({ users: 1, pair: 1 }),
      ofOne({ users: 2, pair: 1 }),
      ofOne({ users: 2, pair: 2 }),
      ofOne({ users: 1, pair: 2 }),
    ]).toEqual([true, false, true, true]);
  });

  it('given an amount with trust, when either charges, then it bounds only what the trusted one charges', () => {
    const trusting = pair(other, one, { trusts: true, amountPerDayCents: 500 });
    const amounts = [one, other].map(
      ({ card }) => relationOf({ one, other, pair: trusting }, card.id).trustAmountPerDayCents,
    );
    expect(amounts).toEqual([500, null]);
    const { low, high, areFriends, lowTrustsHigh, highTrustsLow, lowBlocksHigh, highBlocksLow } = trusting;
    const flags = { areFriends, lowTrustsHigh, highTrustsLow, lowBlocksHigh, highBlocksLow };
    const fromBefore: PairRecord = { kind: 'pair', version: 1, low, high, ...flags };
    expect(relationOf({ one, other, pair: fromBefore }, one.card.id)).toMatchObject({
      settlesCharges: true,
      trustAmountPerDayCents: null,
    });
  });

  it('given a block from before a restore, when the users were announced after it, then the block holds', () => {
    const users = { one: { ...one, epoch: 2 }, other: { ...other, epoch: 2 } };
    const blocked = pair(other, one, { blocks: true });
    expect(relationOf({ ...users, pair: blocked }, one.card.id).isBlocked).toBe(true);
  });
});
