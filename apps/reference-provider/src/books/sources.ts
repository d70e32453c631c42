import type { EndRequest, SourceRequest } from '@settle/provider-api';
import { computeFingerprint, type TestCard } from '../cards/cards.js';
import type { BookObject } from './book-object.js';
import { createId } from './books.js';
import type { BooksWriter } from './books-writer.js';
import { awaitsUser } from './charges.js';
import { ACTION_MS, move } from './lifecycle.js';
import { putOnce, type PutResult } from './put-once.js';

/** Begins to add a source, once for each key: the user enters the card on the page in `next_action`. */
export function putSource(writer: BooksWriter, request: SourceRequest): Promise<PutResult> {
  const { key, user, owner_name: ownerName, return_url: returnUrl } = request;
  const { wants_charges: wantsCharges, wants_payouts: wantsPayouts } = request;
  const content = JSON.stringify([user, ownerName, wantsCharges, wantsPayouts, returnUrl]);
  return putOnce(writer, { kind: 'source', key, content, beginBefore: null }, async () => {
    return {
      ...{
        kind: 'source',
        key,
        id: createId('src'),
        state: 'verifying',
        amountCents: null,
        content,
        code: null,
        chargeKey: null,
      },
      actionExpiresAt: new Date(writer.at.getTime() + ACTION_MS),
      cardNumber: null,
      source: { user, ownerName, wantsCharges, wantsPayouts, returnUrl, cardNumber: null, fingerprint: null },
    };
  });
}

/** Ends a source for ever. Returns null if there is none. */
export async function endSource(writer: BooksWriter, { key }: EndRequest): Promise<BookObject | null> {
  const source = await writer.find('source', key);
  return source === null || source.state === 'ended' ? source : move(writer, source, 'ended');
}

/** Stores the card of a source, which is active from then on. Returns null if it no longer waits for a card. */
export async function addCard(writer: BooksWriter, key: string, card: TestCard): Promise<BookObject | null> {
  const object = await writer.find('source', key);
  if (object === null || object.source === null || !awaitsUser(object, writer.at)) return null;
  const fingerprint = computeFingerprint(card.number, object.source.user, await writer.fingerprintKey());
  const source = { ...object.source, cardNumber: card.number, fingerprint };
  return writer.update(object, { state: 'active', actionExpiresAt: null, source });
}
