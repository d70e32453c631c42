import { setTimeout as pause } from 'node:timers/promises';
import { LIMITS } from '@settle/config';
import { SettleError, idTimeMs, paymentIdFor } from '@settle/contracts';
import { RevisionConflict, type EventStore } from '@settle/event-store';
import { beginSpan } from '@settle/observability';
import type { ExistingPayment, PaymentCreated } from '@settle/payments-domain';
import { orUnavailable, orUnknown } from '../database-away.js';
import { Errands, type Answer } from './errands.js';
import { answerOf } from './failed-append.js';
import { OnePerKey } from './one-per-key.js';
import { NO_HISTORY, TransferDraft, type Move, type Stop } from './transfer-draft.js';
import type { TransferHistories } from './transfer-histories.js';
import type { TakeUp, TransferReading } from './transfer-reading.js';
import type { Wallets } from './wallets.js';

const LONGEST_JITTER_MS = 8;

/** Where a payment has been brought. */
export interface Brought {
  readonly paymentId: string;
  readonly payment: ExistingPayment;
  /** A reader that has passed this position sees the payment so. */
  readonly position: number;
  /** Balances that its last append left, by wallet; of the others only the read models speak. */
  readonly balances: ReadonlyMap<string, number>;
  /** The wallet that the next step is on, when another instance owns it; null: nothing is left to do now. */
  readonly waitsForWalletId: string | null;
  /** What is still to be done once that owner has done its steps. */
  readonly action: Action | null;
}

/** A payment that is to be. */
export interface NewPayment {
  readonly paymentId: string;
  readonly created: PaymentCreated;
  /** The verified funding source of whoever pays at its creation. */
  readonly sourceId: string | null;
  /** After this (milliseconds since 1970) it is not begun: its sender may have been told that it never was. */
  readonly giveUpAtMs: number;
  /** Of the span that it belongs to; absent: it is not traced. */
  readonly traceparent?: string | undefined;
}

/** What somebody wants of a payment whose creation is finished. */
export interface Action {
  /** The first append, or null for none. A refusal that it throws is answered once the creation is stored. */
  readonly decide: (draft: TransferDraft) => Move | null;
  /** Whose wallets it may touch beside the parties': theirs whose command it is, which is this instance's. */
  readonly walletIds: readonly string[];
}

/** Waits, within bounds, until the read models show what stands at a position. */
export type UntilShown = (position: number, traceparent: string | undefined) => Promise<unknown>;

export interface TransferParts {
  readonly store: EventStore;
  readonly wallets: Wallets;
  /** Whether the steps of this wallet are this instance's. */
  readonly owns: (walletId: string) => boolean;
  readonly histories: TransferHistories;
  readonly reading: TransferReading;
  readonly errands: Errands;
  readonly untilShown: UntilShown;
}

/** What is still to be done when a payment is brought forward. */
interface Wish {
  action: Action | null;
  /** Wallets of the command: they may have been touched by now, whether or not the journal knows, and they are ours. */
  walletIds: readonly string[];
  /** Begins the next draft. */
  answer: Answer | null;
  position: number;
  /** The wallet that another instance asks for; null when nobody does. */
  askedFor: string | null;
  traceparent: string | undefined;
}

/** What came before, when a payment is brought on after other owners' steps. */
export interface After {
  readonly walletIds?: readonly string[];
  readonly position?: number;
  /** Of the span that this belongs to; absent: it is not traced. */
  readonly traceparent?: string | undefined;
}

const NO_WISH: Wish = {
  action: null,
  walletIds: [],
  answer: null,
  position: 0,
  askedFor: null,
  traceparent: undefined,
};

/**
 * Brings payments forward as far as this instance's wallets go: decides with the pure domain, appends, and decides again
 * where somebody was faster.
 */
export class TransferSteps {
  readonly #turns = new OnePerKey();

  constructor(private readonly parts: TransferParts) {}

  /**
   * Creates a payment and takes it on. The same command again finds the payment that it made.
   * Errors: `service_unavailable` when nothing is stored, `outcome_unknown` when something may be.
   */
  create(payment: NewPayment): Promise<Brought> {
    const { paymentId } = payment;
    return this.#turns.run(paymentId, () => orUnknown(paymentId, this.#create(payment)));
  }

  /**
   * Finishes what is left of a payment, then does `action`. Errors as `create`, and what `decide` throws.
   * @param after the position of a step that is known to be stored: what is answered, a later read shows
   */
  bring(paymentId: string, action: Action | null, after: After = {}): Promise<Brought> {
    const { walletIds = [], position = 0, traceparent } = after;
    const wish = { ...NO_WISH, action, walletIds: [...walletIds, ...(action?.walletIds ?? [])], position, traceparent };
    return this.#turns.run(paymentId, () => orUnknown(paymentId, this.#bring(paymentId, wish)));
  }

  /** Does what is to be done of a payment on this wallet, which another instance takes to be ours. Errors as `bring`. */
  continue(paymentId: string, walletId: string, traceparent?: string): Promise<Brought> {
    const wish = { ...NO_WISH, walletIds: [walletId], askedFor: walletId, traceparent };
    return this.#turns.run(paymentId, () => orUnknown(paymentId, this.#bring(paymentId, wish)));
  }

  async #create(newPayment: NewPayment, draws = 0): Promise<Brought> {
    const { paymentId, created, sourceId, giveUpAtMs, traceparent } = newPayment;
    const { actorId, target, commandId, atUs } = created.data;
    const isOurs = (walletId: string) => walletId === actorId || this.parts.owns(walletId);
    const walletIds = [...new Set([actorId, target.userId ?? actorId])].filter(isOurs);
    for (let tries = 1; tries <= LIMITS.payments.appendTries; tries += 1) {
      await orUnavailable(this.parts.wallets.load(walletIds));
      if (Date.now() > giveUpAtMs) break;
      const tails = this.parts.reading.keptTails(walletIds);
      // While one was read, another's conflict may have forgotten the other.
      if (tails.size < walletIds.length) continue;
      const draft = new TransferDraft(paymentId, { ...NO_HISTORY, tails });
      draft.take({ kind: 'payment', event: created });
      const stop = draft.run({ sourceIdOf: () => sourceId, atUs });
      const position = await this.#store(draft, traceparent);
      if (position !== null)
        return this.#goOn(draft, stop, { ...NO_WISH, walletIds: [actorId], position, traceparent });
      const { payment } = await this.parts.histories.payment(paymentId);
      if (payment.status !== 'none') {
        if (payment.facts.commandId === commandId) {
          return this.#bring(paymentId, { ...NO_WISH, walletIds: [actorId], traceparent });
        }
        // Another's. The number of draws, not of tries: the command draws the same ids whenever it comes again.
        const nextId = paymentIdFor(idTimeMs(paymentId), commandId, draws + 1);
        return this.#turns.run(nextId, () => this.#create({ ...newPayment, paymentId: nextId }, draws + 1));
      }
      await jitter(tries);
    }
    throw new SettleError('service_unavailable', 'It could not be begun in time, so nothing was. Send it again.');
  }

  async #bring(paymentId: string, wish: Wish): Promise<Brought> {
    for (let tries = 1; tries <= LIMITS.payments.appendTries;) {
      const takeUp = await this.#read(paymentId, wish);
      const reading = takeUp();
      if (reading === null) continue;
      const [draft, context] = reading;
      if (wish.answer !== null) this.parts.errands.take(draft, wish.answer, context.atUs);
      let stop = draft.run(context);
      const isDue = wish.action !== null && stop.kind === 'rest';
      const refusal = isDue ? refusalOf(draft, wish.action) : null;
      if (isDue && refusal === null) stop = draft.run(context);
      const position = await this.#store(draft, wish.traceparent);
      if (position === null) {
        await jitter(tries);
        tries += 1;
        continue;
      }
      if (refusal !== null) {
        // What the refusal says of the payment, a later read says too.
        await this.parts.untilShown(Math.max(position, wish.position), wish.traceparent);
        throw refusal;
      }
      const action = isDue ? null : wish.action;
      return this.#goOn(draft, stop, { ...wish, action, answer: null, position: Math.max(position, wish.position) });
    }
    throw new SettleError('outcome_unknown', `Too many others act on payment ${paymentId}. Read it before going on.`);
  }

  /** After an append: where a funding source is to be asked, it is, and the payment brought on. */
  async #goOn(draft: TransferDraft, stop: Stop, wish: Wish): Promise<Brought> {
    if (stop.kind === 'charge' || stop.kind === 'repay') {
      return this.#bring(draft.paymentId, { ...wish, answer: await this.parts.errands.run(draft.paymentId, stop) });
    }
    const { payment } = draft.transfer;
    if (payment.status === 'none') throw new SettleError('resource_not_found', 'There is no such payment.');
    const balances = new Map(draft.movedTails().map(([walletId, { balanceCents }]) => [walletId, balanceCents]));
    const waitsForWalletId = stop.kind === 'elsewhere' ? stop.walletId : null;
    const { action, position } = wish;
    return { paymentId: draft.paymentId, payment, position, balances, waitsForWalletId, action };
  }

  async #read(paymentId: string, { walletIds, position, askedFor }: Wish): Promise<TakeUp> {
    const { reading } = this.parts;
    const remembered = askedFor === null ? null : await reading.remember(paymentId, askedFor);
    return remembered ?? reading.read(paymentId, walletIds, position);
  }

  /**
   * Stores a draft's unit. The position that shows it; null after a conflict: read again, decide again.
   * Wallets are kept as decided at once, so that whoever comes next builds on it.
   */
  async #store(draft: TransferDraft, parent: string | undefined): Promise<number | null> {
    if (draft.unit.length === 0) return draft.readPosition;
    const { wallets, store } = this.parts;
    const { paymentId } = draft;
    for (const [walletId, tail] of draft.movedTails()) {
      wallets.decided(walletId, tail, { paymentId, steps: draft.stepsOf(walletId) });
    }
    const span = beginSpan('append', { kind: 'internal', parent, attributes: { 'settle.payment_id': paymentId } });
    try {
      // Awaited as it is: what was decided ahead must be forgotten before anybody else goes on.
      const { position } = await store.append(draft.unit);
      for (const [walletId] of draft.movedTails()) wallets.stored(walletId, paymentId, position);
      return position;
    } catch (error) {
      for (const [walletId] of draft.movedTails()) wallets.forget(walletId);
      if (error instanceof RevisionConflict) return null;
      throw answerOf(error, draft);
    } finally {
      span?.end();
    }
  }
}

function refusalOf(draft: TransferDraft, action: Action | null): unknown {
  try {
    const move = action?.decide(draft) ?? null;
    if (move !== null) draft.take(move);
    return null;
  } catch (error) {
    return error;
  }
}

function jitter(tries: number): Promise<void> {
  return pause(Math.random() * Math.min(2 ** tries, LONGEST_JITTER_MS));
}
