import { PARTY_BY_ACTION, REQUEST_ACTIONS, randomId } from '@settle/contracts';
import { randomUUID } from 'node:crypto';
import type { StoredEvent } from '@settle/event-store';
import {
  NO_PAYMENT,
  NO_STEPS,
  decidePayment,
  evolvePayment,
  modeOf,
  nextStep,
  payerIdOf,
  type PaymentCommand,
  type PaymentCreated,
  type PaymentEvent,
  type PaymentState,
  type WalletSteps,
} from '@settle/payments-domain';
import fc from 'fast-check';
import { newPaymentEvent } from '../../src/storage/step-ids.js';
import { paymentStream } from '../../src/storage/streams.js';

export const ANN = '1852942301724180481';
export const BOB = '1852942305918484482';
const CYD = '1852942310112788483';
/** Stands in whatever must not leave the ledger. */
export const SECRET = 'not for the world';

const ids = fc.bigInt({ min: 10n ** 17n, max: 10n ** 19n - 1n }).map(String);
const text = fc.string().map((end) => SECRET + end);
const aTime = fc.integer({ min: 1_262_304_000_000_000, max: 4_000_000_000_000_000 });
const target = fc.oneof(
  fc.constantFrom(BOB, CYD).map((userId) => ({ type: 'user', userId, address: null }) as const),
  fc.record({
    type: fc.constantFrom('email' as const, 'phone' as const),
    userId: fc.constantFrom(null, BOB),
    address: text,
  }),
);

const created: fc.Arbitrary<PaymentCreated> = fc
  .record({
    action: fc.constantFrom('pay' as const, 'charge' as const),
    isTrusted: fc.boolean(),
    target,
    amountCents: fc.integer({ min: 1 }),
    feeCents: fc.nat(),
    note: text,
    audience: fc.constantFrom('public' as const, 'friends' as const, 'private' as const),
    medium: fc.constantFrom('ios' as const, 'android' as const, 'web' as const, 'api' as const),
    commandId: fc.uuid(),
    atUs: aTime,
  })
  .map(({ isTrusted, ...facts }) => ({
    type: 'PaymentCreated',
    data: {
      ...facts,
      mode: modeOf(facts.action, facts.target.userId, isTrusted),
      actorId: ANN,
      appId: 'demo',
      environment: 'live',
      refundOf: null,
    },
  }));

const person = fc.constantFrom(ANN, BOB, CYD);
const command: fc.Arbitrary<PaymentCommand> = fc
  .record({
    type: fc.constantFrom(...REQUEST_ACTIONS, 'claim', 'expire'),
    who: person,
    refundId: ids,
    atUs: aTime,
  })
  .map(({ type, who, refundId, atUs }): PaymentCommand => {
    if (type === 'claim') return { type, claimantId: who, refundId, atUs };
    if (type === 'expire') {
      return { type, targetUserId: null, refundId, dueAfterUs: -Number.MAX_SAFE_INTEGER, atUs };
    }
    return { type, byUserId: who, targetUserId: PARTY_BY_ACTION[type] === 'target' ? who : null, refundId, atUs };
  });

/** The streams of a payment and of its refund payment, as the ledger would have them, from its own functions. */
export const lives: fc.Arbitrary<readonly StoredEvent[][]> = fc
  .record({ paymentId: ids, created, hasFunds: fc.boolean(), commands: fc.array(command, { maxLength: 4 }) })
  .map(({ paymentId, created: first, hasFunds, commands }) => {
    const events: PaymentEvent[] = [];
    const steps = new Map<string, WalletSteps>();
    let payment: PaymentState = NO_PAYMENT;
    const append = (event: PaymentEvent) => {
      events.push(event);
      payment = evolvePayment(payment, event);
    };
    const goOn = () => {
      const context = { sourceIdOf: () => null, atUs: first.data.atUs + 1 };
      const next = nextStep({ paymentId, payment, steps, isRefundWritten: false }, context);
      if (next.kind === 'payment') append(next.event);
      return next;
    };
    append(first);
    const payerId = payerIdOf(first.data, first.data.target.userId);
    const paysAtOnce = first.data.mode !== 'request' && payerId !== null;
    if (paysAtOnce) steps.set(payerId, { ...NO_STEPS, isDebited: hasFunds, isRefused: !hasFunds });
    goOn();
    for (const each of commands) {
      const decision = decidePayment(each, payment);
      if (decision.kind === 'append') append(decision.event);
      if (decision.kind !== 'debit') continue;
      steps.set(decision.walletId, { ...NO_STEPS, isDebited: true });
      goOn();
    }
    for (const [walletId, held] of steps) steps.set(walletId, { ...held, isReturned: held.isDebited });
    const last = goOn();
    const refund = last.kind === 'refund' ? [stored(last.refundId, last.events)] : [];
    return [stored(paymentId, events), ...refund];
  });

/** As the event store gives them, in a stream of their own. */
export function stored(paymentId: string, events: readonly PaymentEvent[], position = 1): StoredEvent[] {
  return events.map((event, revision) => ({
    ...newPaymentEvent(paymentId, event),
    stream: paymentStream(paymentId),
    revision,
    position: position + revision,
  }));
}

/** A pay of 1.00 from Ann to Bob. */
export function aPay(atUs = Date.now() * 1_000): PaymentCreated {
  return {
    type: 'PaymentCreated',
    data: {
      mode: 'transfer',
      action: 'pay',
      actorId: ANN,
      target: { type: 'user', userId: BOB, address: null },
      amountCents: 100,
      feeCents: 0,
      note: SECRET,
      audience: 'private',
      medium: 'api',
      appId: 'demo',
      environment: 'live',
      commandId: randomUUID(),
      refundOf: null,
      atUs,
    },
  };
}

/** Payments that settle, each in a stream of its own. */
export function pays(count: number, atUs?: number) {
  return Array.from({ length: count }, () => {
    const settled: PaymentEvent = { type: 'PaymentSettled', data: { targetUserId: BOB, atUs: Date.now() * 1_000 } };
    return stored(randomId(Date.now()), [aPay(atUs), settled]);
  });
}
