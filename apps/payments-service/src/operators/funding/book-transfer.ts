import { hash } from 'node:crypto';
import { formatDollars } from '@settle/contracts';
import { NO_STREAM, RevisionConflict } from '@settle/event-store';
import { beginBeforeUsAt } from '@settle/payments-domain';
import type { FundingHistory } from '../../funding/funding-history.js';
import { fundingActOf } from '../../read-models/funding/funding-unit.js';
import { newFundingEvent } from '../../storage/step-ids.js';
import { fundingStream, type FundingEvent } from '../../storage/streams.js';
import { DONE } from '../run-command.js';
import type { TransferOrder } from './funding-arguments.js';
import { DRY_RUN, awaitProduct, findUser, historiesOf, type FundingPlace } from './funding-place.js';

/** The source of money that came or went by bank transfer: no provider knows it. */
const BANK = 'bank';
const HASH_DIGITS = 32;
const KINDS = { deposit: 'deposit', withdraw: 'withdrawal' } as const;

/** Returns the id of the deposit or withdrawal of a bank's reference: the same reference is booked once. */
export function bankIdOf(reference: string): string {
  return `bank-${hash('sha256', reference).slice(0, HASH_DIGITS)}`;
}

/** A booking with the facts that a repetition must have, too. */
interface Booked {
  readonly userId: string;
  readonly amountCents: number;
}

/**
 * Books a bank transfer once for its reference; the running product then moves the money. Errors, with which nothing is
 * stored: there is no such user, the balance does not cover a withdrawal, the reference was booked with other content.
 * Error after the product has decided: the withdrawal was not covered.
 */
export async function bookTransfer(place: FundingPlace, order: TransferOrder): Promise<number> {
  const { say, store } = place;
  const { card, isFrozen } = await findUser(place, order.user);
  const ref = { kind: KINDS[order.type], id: bankIdOf(order.decision.reference) };
  const histories = historiesOf(place);
  const read = () => histories.read(ref);
  const asked = { userId: card.id, amountCents: order.amountCents };
  const existing = await read();
  if (existing.revision !== NO_STREAM) return sayExisting(place, existing, asked);

  const part = { walletId: card.id, paymentId: null, fundingId: ref.id };
  const { balanceCents } = (await histories.readWallet(part)).wallet.tail;
  const amount = formatDollars(order.amountCents);
  const balance = formatDollars(balanceCents);
  if (order.type === 'withdraw' && balanceCents < order.amountCents) {
    throw new Error(`The balance of ${card.username} is ${balance} and does not cover ${amount}: nothing is paid`);
  }
  const direction = order.type === 'deposit' ? 'to' : 'from';
  say(
    `${ref.kind} ${ref.id}: ${amount} ${direction} the balance of ${card.username} (${card.id}), which is ${balance}`,
  );
  if (isFrozen) say(`The account of ${card.username} is frozen. A booking by an operator is done nevertheless`);
  if (!order.isConfirmed) {
    say(DRY_RUN);
    return DONE;
  }
  const event = newFundingEvent(requested(order, { ...asked, id: ref.id, atUs: place.clock.nowUs() }));
  try {
    await store.append([{ stream: fundingStream(ref.kind, ref.id), expectedRevision: NO_STREAM, events: [event] }]);
  } catch (error) {
    if (!(error instanceof RevisionConflict)) throw error;
    // Another operator has booked the same reference meanwhile.
    return sayExisting(place, await read(), asked);
  }
  const isFinished = await awaitProduct(place, async () => fundingActOf((await read()).funding) === null);
  return isFinished ? sayOutcome(place, await read()) : DONE;
}

function requested(
  { type, decision: booking }: TransferOrder,
  { id, atUs, ...booked }: Booked & { readonly id: string; readonly atUs: number },
): FundingEvent {
  const facts = { ...booked, sourceId: BANK, booking, atUs };
  if (type === 'deposit') {
    const data = { ...facts, beginBeforeUs: beginBeforeUsAt(atUs) };
    return { kind: 'deposit', id, event: { type: 'DepositRequested', data } };
  }
  return { kind: 'withdrawal', id, event: { type: 'WithdrawalRequested', data: { ...facts, needsReview: false } } };
}

/** Says how a reference that is booked already stands. Error: it was booked with other content. */
function sayExisting(place: FundingPlace, history: FundingHistory, asked: Booked): number {
  const { funding } = history;
  if (!('state' in funding) || !('facts' in funding.state)) throw new Error('The stored booking cannot be read');
  const { userId, amountCents } = funding.state.facts;
  if (userId !== asked.userId || amountCents !== asked.amountCents) {
    throw new Error(
      `This reference is stored as ${funding.kind} ${funding.id} of ${formatDollars(amountCents)} for the user ${userId}: ` +
        'nothing was changed. Another transfer has another reference',
    );
  }
  place.say('This reference is booked already; nothing was stored');
  return sayOutcome(place, history);
}

/** Error: the withdrawal was not covered. */
function sayOutcome({ say }: FundingPlace, { funding }: FundingHistory): number {
  const { kind, id, state } = funding;
  if (kind === 'withdrawal' && state.status === 'failed') {
    throw new Error(
      `The withdrawal ${id} was not covered: nothing was paid. Book the next attempt under another reference`,
    );
  }
  const isFinished = fundingActOf(funding) === null;
  say(`${kind} ${id}: ${isFinished ? state.status : `${state.status}, the running product finishes it`}`);
  return DONE;
}
