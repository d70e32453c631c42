import fc from 'fast-check';
import type { WalletEvent } from './wallet-events.js';
import { NO_WALLET, decideWallet, evolveWallet, type WalletCommand, type WalletState } from './wallet.js';

const AT_US = 7;
const holding = (balanceCents: number): WalletState => ({ isOpen: true, balanceCents });
const money = { paymentId: 'p', amountCents: 1000, feeCents: 25, atUs: AT_US };
const debit = (facts: Partial<Extract<WalletCommand, { type: 'debit' }>>): WalletCommand => ({
  ...{ type: 'debit', ...money, sourceId: null, attempt: 1, isCreation: true },
  ...facts,
});
const fund = (isApproved: boolean, isCreation: boolean): WalletCommand => ({
  ...{ type: 'fund', ...money, sourceId: 'card', attempt: 2 },
  ...{ isApproved, isCreation },
});
const giveBack = (repaidSourceId: string | null): WalletCommand => ({ type: 'return', ...money, repaidSourceId });
const credit: WalletCommand = { type: 'credit', paymentId: 'p', amountCents: 1000, atUs: AT_US };

/** `Debited 975`: the fact and the balance after it. */
function inShort(events: readonly WalletEvent[]): string[] {
  return events.map(({ type, data }) => `${type} ${data.balanceCents}`);
}

describe('decideWallet', () => {
  it.each<[string, number, WalletCommand, string[]]>([
    ['a balance of amount and fee', 1025, debit({}), ['FundsDebited 0']],
    ['more than that', 2000, debit({ isCreation: false }), ['FundsDebited 975']],
    ['enough, and a source', 1025, debit({ sourceId: 'card' }), ['FundsDebited 0']],
    ['a cent too little, a creation', 1024, debit({}), ['DebitRefused 1024']],
    ['a cent too little, an approval', 1024, debit({ isCreation: false }), []],
    ['a cent too little, a source', 1024, debit({ sourceId: 'card' }), ['FundingRequested 1024']],
    ['nothing, an approval, a source', 0, debit({ sourceId: 'card', isCreation: false }), ['FundingRequested 0']],
    ['a yes to a creation', 30, fund(true, true), ['FundsAdded 1055', 'FundsDebited 30']],
    ['a yes to an approval', 0, fund(true, false), ['FundsAdded 1025', 'FundsDebited 0']],
    ['a no to a creation', 30, fund(false, true), ['DebitRefused 30']],
    ['a no to an approval', 30, fund(false, false), ['FundingDeclined 30']],
    ['a credit', 5, credit, ['FundsCredited 1005']],
    ['a return to the balance', 5, giveBack(null), ['FundsReturned 1030']],
    ['a return to the source', 5, giveBack('card'), ['FundsReturned 1030', 'FundsWithdrawn 5']],
    ['a deposit', 5, { type: 'deposit', amountCents: 7, sourceId: 'bank', atUs: AT_US }, ['FundsAdded 12']],
  ])('given %s, when it is decided, then these facts follow', (_given, balanceCents, command, facts) => {
    expect(inShort(decideWallet(command, holding(balanceCents)))).toEqual(facts);
  });

  it('given a wallet never opened, when a fact follows, then its opening comes first; without one, nothing does', () => {
    expect(inShort(decideWallet(credit, NO_WALLET))).toEqual(['WalletOpened 0', 'FundsCredited 1000']);
    expect(inShort(decideWallet(debit({}), NO_WALLET))).toEqual(['WalletOpened 0', 'DebitRefused 0']);
    expect(decideWallet(debit({ isCreation: false }), NO_WALLET)).toEqual([]);
  });

  it('given a wallet that opens with money, when a fact follows, then opening and money come first', () => {
    const unopened = { isOpen: false, balanceCents: 1200 };
    const opening = ['WalletOpened 0', 'FundsAdded 1200'];
    expect(inShort(decideWallet(debit({}), unopened))).toEqual([...opening, 'FundsDebited 175']);
    expect(inShort(decideWallet(credit, unopened))).toEqual([...opening, 'FundsCredited 2200']);
    expect(inShort(decideWallet(debit({ amountCents: 2000 }), unopened))).toEqual([...opening, 'DebitRefused 1200']);
    expect(decideWallet(debit({ amountCents: 2000, isCreation: false }), unopened)).toEqual([]);
  });

  it('given an approval through an app, when it is debited or a source is asked, then the fact names the app, and no other does', () => {
    const approval = { isCreation: false, sourceId: 'card', appId: 'lunch' };
    const appsIn = (command: WalletCommand, balanceCents: number) =>
      decideWallet(command, holding(balanceCents)).map(({ data }) => ('appId' in data ? data.appId : null));
    expect(appsIn(debit(approval), 2000)).toEqual(['lunch']);
    expect(appsIn(debit(approval), 0)).toEqual(['lunch']);
    expect(appsIn(debit({}), 2000)).toEqual([null]);
    expect(appsIn(fund(true, false), 0)).toEqual([null, null]);
  });

  it('given a source to ask, when it is asked, then for amount and fee, under the attempt', () => {
    const [asked] = decideWallet(debit({ sourceId: 'card', attempt: 3 }), holding(1));
    const data = { paymentId: 'p', amountCents: 1025, sourceId: 'card', attempt: 3, balanceCents: 1, atUs: AT_US };
    expect(asked).toEqual({ type: 'FundingRequested', data });
  });

  it('given a balance beyond what a double holds, when it would grow, then nothing is decided', () => {
    expect(() => decideWallet(credit, holding(Number.MAX_SAFE_INTEGER))).toThrow(RangeError);
  });

  it('given any command, when its facts are folded, then the balance is what they say and never below zero', () => {
    const cents = fc.nat({ max: 3000 });
    const commands = cents.chain((amountCents) =>
      fc.constantFrom(
        ...[
          debit({ amountCents }),
          debit({ amountCents, sourceId: 'card' }),
          debit({ amountCents, isCreation: false }),
        ],
        ...[
          { ...fund(true, true), amountCents },
          { ...fund(false, false), amountCents },
        ],
        ...[
          { ...giveBack(null), amountCents },
          { ...giveBack('card'), amountCents },
          { ...credit, amountCents },
        ],
      ),
    );
    fc.assert(
      fc.property(cents, fc.array(commands, { maxLength: 8 }), (startCents, sequence) => {
        let wallet = holding(startCents);
        for (const command of sequence) {
          let balanceCents = wallet.balanceCents;
          for (const event of decideWallet(command, wallet)) {
            balanceCents += movedCents(event);
            expect(event.data.balanceCents).toBe(balanceCents);
            expect(balanceCents).toBeGreaterThanOrEqual(0);
            wallet = evolveWallet(wallet, event);
          }
          expect(wallet).toEqual(holding(balanceCents));
        }
      }),
      { numRuns: 1000 },
    );
  });
});

function movedCents({ type, data }: WalletEvent): number {
  switch (type) {
    case 'FundsAdded':
    case 'FundsCredited':
    case 'WithdrawalReversed':
    case 'ReversalReturned':
      return data.amountCents;
    case 'FundsWithdrawn':
    case 'FundsReversed':
      return -data.amountCents;
    case 'FundsDebited':
      return -data.amountCents - data.feeCents;
    case 'FundsReturned':
      return data.amountCents + data.feeCents;
    case 'WalletOpened':
    case 'FundingRequested':
    case 'FundingDeclined':
    case 'DebitRefused':
    case 'RepaymentRequested':
      return 0;
  }
}
