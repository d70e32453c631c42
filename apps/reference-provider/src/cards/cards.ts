import { createHmac } from 'node:crypto';
import type { ProviderCharge, ProviderPayout } from '@settle/provider-api';

type ChargeState = ProviderCharge['state'];
type PayoutState = ProviderPayout['state'];
type ProviderCode = NonNullable<ProviderCharge['code']>;

/** The behavior of a test card. The first state of a list is the answer, the provider moves to each next one later. */
export interface TestCard {
  readonly number: string;
  readonly meaning: string;
  readonly charge: readonly ChargeState[];
  /** Repayments of a charge of the card, and payouts to it. */
  readonly payout: readonly PayoutState[];
  /** The code of a declined charge, and of a failed or returned payout. */
  readonly code: ProviderCode;
  /** Follows an approved charge later. */
  readonly reversal: { readonly share: 'all' | 'half'; readonly end: 'won' | 'lost' | null } | null;
  /** `lost`: the request is processed, but the connection is closed without a response. `slow`: the response comes later. */
  readonly response: 'prompt' | 'slow' | 'lost';
  /** Whether the name on the account is that of the user. */
  readonly ownerMatch: boolean;
}

const PROMPT: Omit<TestCard, 'number' | 'meaning'> = {
  charge: ['approved'],
  payout: ['paid'],
  code: 'other',
  reversal: null,
  response: 'prompt',
  ownerMatch: true,
};

const card = (number: string, meaning: string, behavior: Partial<TestCard> = {}): TestCard => ({
  ...PROMPT,
  ...behavior,
  number,
  meaning,
});
const declined = (number: string, code: ProviderCode): TestCard =>
  card(number, `declined (\`${code}\`)`, { charge: ['declined'], code });

/** Every test card. The numbers that processors publish for the same purpose have the same meaning here. */
export const TEST_CARDS: readonly TestCard[] = [
  card('4242424242424242', 'approved; payouts are paid'),
  declined('4000000000000002', 'declined'),
  declined('4000000000000341', 'declined'),
  declined('4000000000009995', 'insufficient'),
  declined('4000000000000069', 'expired_card'),
  declined('4100000000000019', 'suspected_fraud'),
  card('4000003720000278', 'pending, then approved; payouts are pending, then paid', {
    charge: ['pending', 'approved'],
    payout: ['pending', 'paid'],
  }),
  card('4000000000007007', 'pending, then declined', { charge: ['pending', 'declined'], code: 'declined' }),
  card('4000000000003220', 'the user must confirm on a page', { charge: ['action_required'] }),
  card('4000000000000259', 'approved, then reversed: the reversal is lost', {
    reversal: { share: 'all', end: 'lost' },
  }),
  card('4000000000002685', 'approved, then reversed: the reversal is won', { reversal: { share: 'all', end: 'won' } }),
  card('4000000000005423', 'approved, then half of it is reversed: the reversal stays open', {
    reversal: { share: 'half', end: null },
  }),
  card('4000000000007015', 'approved, but no response arrives', { response: 'lost' }),
  card('4000000000007023', 'approved, but the response is slow', { response: 'slow' }),
  card('4000000000007031', 'approved; payouts and repayments fail', { payout: ['failed'] }),
  card('4000000000007049', 'approved; payouts and repayments are pending, then fail', {
    payout: ['pending', 'failed'],
  }),
  card('4000000000007056', 'approved; payouts and repayments are paid, then returned', {
    payout: ['paid', 'returned'],
  }),
  card('4000000000007064', 'approved; its owner has another name, so that it gets no payout', { ownerMatch: false }),
];

const APPROVED = '4242424242424242';
const DECLINED = '4000000000000341';

/** Returns the test card with the number, which may contain spaces and hyphens; null if there is none. */
export function findCard(number: string): TestCard | null {
  const digits = number.replace(/[\s-]/g, '');
  return TEST_CARDS.find((each) => each.number === digits) ?? null;
}

/** Returns the card of a source that Settle stored before it used a provider; null for every other source. */
export function findEarlierCard(sourceKey: string): TestCard | null {
  if (sourceKey.startsWith('test-card-declined')) return findCard(DECLINED);
  return /^(test|demo)-card-/.test(sourceKey) ? findCard(APPROVED) : null;
}

/**
 * Returns a value that is equal for equal cards of a user, and from which the number cannot be computed without the key.
 * Each user has test cards of their own: a real card belongs to one user, and there are few test numbers.
 */
export function computeFingerprint(number: string, user: string, key: string): string {
  return createHmac('sha256', key).update(`${user} ${number}`).digest('hex').slice(0, 32);
}
