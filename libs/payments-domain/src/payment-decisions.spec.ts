import { decidePayment, modeOf, type PaymentCommand, type PaymentDecision } from './payment-decisions.js';
import type { PaymentMode } from './payment-events.js';
import { NO_PAYMENT } from './payment.js';
import { CREATED_AT_US, ENDS, NOW_US, createdIn, paymentIn } from '../test/samples.fixture.js';

const refundId = 'refund';
const by = (byUserId: string) => ({ byUserId, targetUserId: 'bob', refundId, atUs: NOW_US });

/** Ann made it, Bob is the target or has its address, Eve has nothing to do with it. */
const COMMANDS = {
  'approve bob': { type: 'approve', ...by('bob') },
  'approve ann': { type: 'approve', ...by('ann') },
  'approve eve': { type: 'approve', ...by('eve') },
  'deny bob': { type: 'deny', ...by('bob') },
  'deny ann': { type: 'deny', ...by('ann') },
  'deny eve': { type: 'deny', ...by('eve') },
  'cancel ann': { type: 'cancel', ...by('ann') },
  'cancel bob': { type: 'cancel', ...by('bob') },
  'cancel eve': { type: 'cancel', ...by('eve') },
  'claim bob': { type: 'claim', claimantId: 'bob', refundId, atUs: NOW_US },
  'claim ann': { type: 'claim', claimantId: 'ann', refundId, atUs: NOW_US },
  'expire due': { type: 'expire', targetUserId: 'bob', refundId, dueAfterUs: NOW_US - CREATED_AT_US, atUs: NOW_US },
  'expire early': {
    type: 'expire',
    ...{ targetUserId: 'bob', refundId, dueAfterUs: NOW_US - CREATED_AT_US + 1, atUs: NOW_US },
  },
} satisfies Record<string, PaymentCommand>;

/** One line per command, one column per way it stands. 404, 403, 409: refused; same: it took effect before. */
const TABLES: readonly (readonly [PaymentMode, string])[] = [
  [
    'transfer',
    `               settled  failed
    approve bob    409      409
    approve ann    403      403
    approve eve    404      404
    deny bob       409      409
    deny ann       403      403
    deny eve       404      404
    cancel ann     409      409
    cancel bob     403      403
    cancel eve     404      404
    claim bob      403      403
    claim ann      403      403
    expire due     409      409
    expire early   409      409`,
  ],
  [
    'hold',
    `               pending          settled  failed  expired  cancelled  claimedByPayer
    approve bob    403              409      409     409      409        409
    approve ann    403              403      403     403      403        403
    approve eve    404              404      404     404      404        404
    deny bob       403              409      409     409      409        409
    deny ann       403              403      403     403      403        403
    deny eve       404              404      404     404      404        404
    cancel ann     cancelled+refund 409      409     409      same       409
    cancel bob     403              403      403     403      403        403
    cancel eve     404              404      404     404      404        404
    claim bob      settled          409      409     409      409        409
    claim ann      claimed+refund   409      409     409      409        409
    expire due     expired+refund   409      409     409      409        409
    expire early   403              409      409     409      409        409`,
  ],
  ...(['request', 'trusted'] as const).map(
    (mode) =>
      [
        mode,
        `               pending    settled  expired  denied  cancelled
    approve bob    debit      same     409      409     409
    approve ann    403        403      403      403     403
    approve eve    404        404      404      404     404
    deny bob       denied     409      409      same    409
    deny ann       403        403      403      403     403
    deny eve       404        404      404      404     404
    cancel ann     cancelled  409      409      409     same
    cancel bob     403        403      403      403     403
    cancel eve     404        404      404      404     404
    claim bob      403        403      403      403     403
    claim ann      403        403      403      403     403
    expire due     expired    409      409      409     409
    expire early   403        409      409      409     409`,
      ] as const,
  ),
  [
    'refund',
    `               settled
    approve bob    409
    approve eve    404
    deny bob       409
    cancel ann     409
    cancel eve     404
    claim bob      403
    expire due     409`,
  ],
];

const HTTP: Readonly<Record<string, string>> = {
  resource_not_found: '404',
  not_permitted: '403',
  payment_not_pending: '409',
};
const REASONS: Readonly<Record<string, string>> = {
  denied: 'denied',
  cancelled_by_actor: 'cancelled',
  claimed_by_payer: 'claimed',
};

function inShort(decision: PaymentDecision): string {
  if (decision.kind === 'already') return 'same';
  if (decision.kind === 'debit') return decision.walletId === 'bob' ? 'debit' : `debit of ${decision.walletId}`;
  if (decision.kind === 'refused') return HTTP[decision.code] ?? decision.code;
  const { event } = decision;
  const refund = 'refundId' in event.data && event.data.refundId === refundId ? '+refund' : '';
  if (event.type === 'PaymentCancelled') return `${REASONS[event.data.reason]}${refund}`;
  return `${event.type.replace('Payment', '').toLowerCase()}${refund}`;
}

describe('decidePayment', () => {
  const cases = TABLES.flatMap(([mode, table]) => {
    const [head = '', ...lines] = table.split('\n');
    const ends = head.trim().split(/\s+/) as (keyof typeof ENDS)[];
    return lines.flatMap((line) => {
      const [verb = '', who = '', ...outcomes] = line.trim().split(/\s+/);
      const command = `${verb} ${who}` as keyof typeof COMMANDS;
      return ends.map((end, column) => ({ mode, end, command, outcome: outcomes[column] }));
    });
  });

  // Shows act-4, act-8, act-9, act-29
  it.each(cases)('given a $mode that is $end, when $command, then $outcome', ({ mode, end, command, outcome }) => {
    expect(inShort(decidePayment(COMMANDS[command], paymentIn(mode, end)))).toBe(outcome);
  });

  it.each(Object.entries(COMMANDS))('given no payment, when %s, then 404', (_name, command) => {
    expect(inShort(decidePayment(command, NO_PAYMENT))).toBe('404');
  });

  it('given no payment, when it is created, then the creation follows; given any, then it took effect before', () => {
    const created = createdIn('transfer');
    expect(decidePayment({ type: 'create', created }, NO_PAYMENT)).toEqual({ kind: 'append', event: created });
    expect(decidePayment({ type: 'create', created }, paymentIn('hold', 'pending'))).toEqual({ kind: 'already' });
    expect(decidePayment({ type: 'create', created }, paymentIn('transfer', 'failed'))).toEqual({ kind: 'already' });
  });

  it('given an end, when it is decided, then it names whose the target was and when', () => {
    const pending = paymentIn('request', 'pending');
    expect(decidePayment(COMMANDS['expire due'], pending)).toMatchObject({
      event: { data: { targetUserId: 'bob', refundId: null, atUs: NOW_US } },
    });
    expect(decidePayment({ ...COMMANDS['cancel ann'], targetUserId: null }, pending)).toMatchObject({
      event: { data: { targetUserId: null, refundId: null, atUs: NOW_US } },
    });
    expect(decidePayment(COMMANDS['claim bob'], paymentIn('hold', 'pending'))).toMatchObject({
      event: { data: { targetUserId: 'bob', atUs: NOW_US } },
    });
  });

  it('given an unclaimed address, when a user other than the actor approves or denies, then the payment is not found', () => {
    const command = { ...COMMANDS['approve bob'], targetUserId: null };
    expect(inShort(decidePayment(command, paymentIn('request', 'pending')))).toBe('404');
    expect(inShort(decidePayment({ ...command, type: 'deny' }, paymentIn('request', 'pending')))).toBe('404');
  });
});

describe('modeOf', () => {
  it.each<['pay' | 'charge', string | null, boolean, PaymentMode]>([
    ['pay', 'bob', false, 'transfer'],
    ['pay', 'bob', true, 'transfer'],
    ['pay', null, false, 'hold'],
    ['pay', null, true, 'hold'],
    ['charge', 'bob', false, 'request'],
    ['charge', 'bob', true, 'trusted'],
    ['charge', null, false, 'request'],
    ['charge', null, true, 'request'],
  ])('given a %s to %s, trusted %s, when it is made, then it is a %s', (action, targetUserId, isTrusted, mode) => {
    expect(modeOf(action, targetUserId, isTrusted)).toBe(mode);
  });
});

describe('a charge whose address is proven by who made it', () => {
  const own = { byUserId: 'ann', targetUserId: 'ann', refundId, atUs: NOW_US };

  it('given a pending payment, when it is approved by its payer, then it is refused', () => {
    const decision = decidePayment({ type: 'approve', ...own }, paymentIn('request', 'pending'));
    expect(decision).toMatchObject({ kind: 'refused', code: 'cannot_pay_self' });
  });

  it.each(['deny', 'cancel'] as const)('given it is pending, when it gets %s, then it is cancelled', (type) => {
    const decision = decidePayment({ type, ...own }, paymentIn('request', 'pending'));
    expect(decision).toMatchObject({ kind: 'append', event: { type: 'PaymentCancelled' } });
  });
});
