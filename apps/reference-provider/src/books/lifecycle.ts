import { findCard, type TestCard } from '../cards/cards.js';
import type { BookObject } from './book-object.js';
import type { BookingKind, BooksWriter, NewObject } from './books-writer.js';

/** How long the user has to confirm, and to enter a card. */
export const ACTION_MS = 15 * 60_000;

/** Stores a new object in its first state, and schedules what follows. */
export async function create(writer: BooksWriter, object: NewObject): Promise<BookObject> {
  const created = await writer.insert(object);
  await follow(writer, created);
  return created;
}

/** Moves an object to its next state, and schedules what follows. @param code of a refusing state */
export async function move(
  writer: BooksWriter,
  object: BookObject,
  state: string,
  code: BookObject['code'] = null,
): Promise<BookObject> {
  const moved = await writer.update(object, { state, code, actionExpiresAt: null });
  await follow(writer, moved);
  return moved;
}

/** Returns the code of a state: that of the card if the state refuses, otherwise null. */
export function codeOf(state: string, card: TestCard | null): BookObject['code'] {
  return ['declined', 'failed', 'returned'].includes(state) ? (card?.code ?? 'other') : null;
}

/** Books the money that a state moves, and schedules the next state of the test card. */
async function follow(writer: BooksWriter, object: BookObject): Promise<void> {
  const { kind, state, actionExpiresAt } = object;
  const booking = bookingOf(object);
  if (booking !== null) await writer.book(booking, object);
  const card = findCard(object.cardNumber ?? '');
  const next = card === null ? undefined : nextState(object, card);
  if (next !== undefined) {
    await writer.schedule(object, { type: 'move', from: state, to: next, code: codeOf(next, card) });
  }
  if (kind === 'charge' && state === 'approved' && card?.reversal) await writer.schedule(object, { type: 'reverse' });
  if (kind === 'charge' && actionExpiresAt !== null) {
    const timeout = { type: 'move', from: state, to: 'declined', code: 'action_timeout' } as const;
    await writer.schedule(object, timeout, actionExpiresAt);
  }
}

function bookingOf({ kind, state }: BookObject): BookingKind | null {
  if (kind === 'charge') return state === 'approved' ? 'charge' : null;
  if (kind === 'repayment' || kind === 'payout') {
    if (state === 'returned') return 'payout_return';
    return state === 'paid' ? kind : null;
  }
  if (kind !== 'reversal' || state === 'lost') return null;
  return state === 'open' ? 'reversal' : 'reversal_won';
}

function nextState({ kind, state }: BookObject, { charge, payout, reversal }: TestCard): string | undefined {
  if (kind === 'reversal') return state === 'open' ? (reversal?.end ?? undefined) : undefined;
  const states: readonly string[] = kind === 'charge' ? charge : payout;
  const at = states.indexOf(state);
  return at === -1 ? undefined : states[at + 1];
}
