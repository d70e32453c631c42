import type { CancelRequest, ChargeRequest } from '@settle/provider-api';
import { findCard, findEarlierCard } from '../cards/cards.js';
import type { BookObject } from './book-object.js';
import { createId } from './books.js';
import type { BooksWriter, NewObject } from './books-writer.js';
import { ACTION_MS, codeOf, create, move } from './lifecycle.js';
import { existing, putOnce, type PutResult } from './put-once.js';

/** Charges a source, once for each key. A source that cannot be charged is declined. */
export function putCharge(writer: BooksWriter, request: ChargeRequest): Promise<PutResult> {
  const { key, begin_before: beginBefore } = request;
  return putOnce(writer, { kind: 'charge', key, content: contentOf(request), beginBefore }, async () => {
    const card = findCard((await findUsableCard(writer, request, 'charges')) ?? '');
    const state = card?.charge[0] ?? 'declined';
    const actionExpiresAt = state === 'action_required' ? new Date(writer.at.getTime() + ACTION_MS) : null;
    const code = codeOf(state, card);
    return { ...newCharge(request), state, code, actionExpiresAt, cardNumber: card?.number ?? null };
  });
}

/** Cancels a charge that has not ended. A key that is not known is stored as cancelled, so that it never begins. */
export async function cancelCharge(writer: BooksWriter, request: CancelRequest): Promise<PutResult> {
  const { key } = request;
  const charge = await writer.find('charge', key);
  if (charge === null) {
    return { outcome: 'created', object: await create(writer, newCharge(request)) };
  }
  const result = existing(charge, contentOf(request));
  if (result.outcome !== 'existing' || !isOpen(charge)) return result;
  return { outcome: 'existing', object: await move(writer, charge, 'cancelled') };
}

/** Takes the user's answer on the page of a charge. Returns null if the charge no longer waits for one. */
export async function answerAction(writer: BooksWriter, key: string, isConfirmed: boolean): Promise<BookObject | null> {
  const charge = await writer.find('charge', key);
  if (charge === null || !awaitsUser(charge, writer.at)) return null;
  return isConfirmed ? move(writer, charge, 'approved') : move(writer, charge, 'declined', 'declined');
}

/**
 * Returns the number of the card of a source that the user may use; null if there is none, it has ended, or it is not for
 * this purpose. Sources that Settle stored before it used a provider are known by their prefix.
 */
export async function findUsableCard(
  writer: BooksWriter,
  { source_key: key, user }: { readonly source_key: string; readonly user: string },
  purpose: 'charges' | 'payouts',
): Promise<string | null> {
  const earlier = purpose === 'charges' ? findEarlierCard(key) : null;
  if (earlier !== null) return earlier.number;
  const object = await writer.find('source', key);
  const source = object?.source ?? null;
  if (source === null || object?.state !== 'active' || source.user !== user) return null;
  const { wantsCharges, wantsPayouts, cardNumber } = source;
  return (purpose === 'charges' ? wantsCharges : wantsPayouts) ? cardNumber : null;
}

/** Returns whether the user can still do something on the page of the object. */
export function awaitsUser({ actionExpiresAt }: BookObject, at: Date): boolean {
  return actionExpiresAt !== null && actionExpiresAt > at;
}

const isOpen = ({ state }: BookObject): boolean => state === 'pending' || state === 'action_required';

/** A charge that is cancelled before it begins. */
function newCharge(request: CancelRequest): NewObject {
  return {
    ...{ kind: 'charge', key: request.key, id: createId('ch'), state: 'cancelled', amountCents: request.amount },
    content: contentOf(request),
    ...{ code: null, actionExpiresAt: null, chargeKey: null, cardNumber: null, source: null },
  };
}

function contentOf({ user, source_key: source, amount, currency }: CancelRequest): string {
  return JSON.stringify([user, source, amount, currency]);
}
