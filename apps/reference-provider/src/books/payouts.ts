import type { PayoutRequest, RepaymentRequest } from '@settle/provider-api';
import { findCard } from '../cards/cards.js';
import type { BookObject } from './book-object.js';
import { createId } from './books.js';
import type { BooksWriter } from './books-writer.js';
import { findUsableCard } from './charges.js';
import { codeOf } from './lifecycle.js';
import { putOnce, type PutResult } from './put-once.js';

const OTHER = { code: null, actionExpiresAt: null, source: null } as const;

/** Pays money to a source, once for each key. A source that gets no payouts fails. */
export function putPayout(writer: BooksWriter, request: PayoutRequest): Promise<PutResult> {
  const { key, user, source_key: source, amount, currency, begin_before: beginBefore } = request;
  const content = JSON.stringify([user, source, amount, currency]);
  return putOnce(writer, { kind: 'payout', key, content, beginBefore }, async () => {
    const found = findCard((await findUsableCard(writer, request, 'payouts')) ?? '');
    const card = found?.ownerMatch === true ? found : null;
    const state = card?.payout[0] ?? 'failed';
    return {
      ...OTHER,
      ...{ kind: 'payout', key, id: createId('po'), state, amountCents: amount, content, chargeKey: null },
      code: codeOf(state, card),
      cardNumber: card?.number ?? null,
    };
  });
}

/**
 * Gives money of a charge back, once for each key. It fails if the charge was not approved, has a reversal that is open or
 * lost, or if its repayments together would exceed it.
 */
export function putRepayment(writer: BooksWriter, request: RepaymentRequest): Promise<PutResult> {
  const { key, user, charge_key: chargeKey, amount, currency, begin_before: beginBefore } = request;
  const content = JSON.stringify([user, chargeKey, amount, currency]);
  return putOnce(writer, { kind: 'repayment', key, content, beginBefore }, async () => {
    const charge = await writer.find('charge', chargeKey);
    const isAllowed = charge !== null && isRepayable(charge, await writer.findOfCharge(chargeKey), amount);
    const card = isAllowed ? findCard(charge.cardNumber ?? '') : null;
    const state = card?.payout[0] ?? 'failed';
    return {
      ...OTHER,
      ...{ kind: 'repayment', key, id: createId('re'), state, amountCents: amount, content, chargeKey },
      code: codeOf(state, card),
      cardNumber: card?.number ?? null,
    };
  });
}

/** @param others repayments and reversals of the charge */
function isRepayable(charge: BookObject, others: readonly BookObject[], cents: number): boolean {
  const isReversed = others.some(({ kind, state }) => kind === 'reversal' && state !== 'won');
  return charge.state === 'approved' && !isReversed && cents <= remainingCents(charge, others);
}

/** Returns the cents of a charge that no repayment has taken. */
export function remainingCents({ amountCents }: BookObject, others: readonly BookObject[]): number {
  const taking = others.filter(({ kind, state }) => kind === 'repayment' && (state === 'pending' || state === 'paid'));
  return taking.reduce((cents, repayment) => cents - (repayment.amountCents ?? 0), amountCents ?? 0);
}
