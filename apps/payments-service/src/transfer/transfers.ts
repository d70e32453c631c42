import { setTimeout as pause } from 'node:timers/promises';
import { LIMITS } from '@settle/config';
import { SettleError, idTimeMs, paymentIdFor } from '@settle/contracts';
import { AppendOutcomeUnknown, RevisionConflict, StoreUnavailable, type EventStore } from '@settle/event-store';
import { payerIdOf, type ExistingPayment, type PaymentCreated, type StepContext } from '@settle/payments-domain';
import type { Clock } from '../clock.js';
import { orUnavailable, orUnknown } from '../database-away.js';
import { Errands, type Answer } from './errands.js';
import { OnePerKey } from './one-per-key.js';
import { NO_HISTORY, TransferDraft, type History, type Move, type Stop, type WalletTail } from './transfer-draft.js';
import type { TransferHistories } from './transfer-histories.js';
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
}

/** What somebody wants of a payment whose creation is finished. */
export interface Action {
  /** The first append, or null for none. A refusal that it throws is answered once the creation is stored. */
  readonly decide: (draft: TransferDraft) => Move | null;
  /** Whose wallets it may touch beside the parties'. */
  readonly walletIds: readonly string[];
}

export interface TransferParts {
  readonly store: EventStore;
  readonly wallets: Wallets;
  readonly histories: TransferHistories;
  readonly errands: Errands;
  readonly clock: Clock;
  /** A person's verified funding source, as known now. */
  readonly sourceIdOf: (userId: string) => Promise<string | null>;
  /** Waits, within bounds, until the read models show what stands at a position. */
  readonly untilShown: (position: number) => Promise<unknown>;
}

/** What is still to be done when a payment is brought forward. */
interface Wish {
  action: Action | null;
  /** Wallets that the action may have touched by now, whether or not the journal knows. */
  walletIds: readonly string[];
  /** Begins the next draft. */
  answer: Answer | null;
  position: number;
}

const NO_WISH: Wish = { action: null, walletIds: [], answer: null, position: 0 };

/** Brings payments forward: decides with the pure domain, appends, and decides again where somebody was faster. */
export class Transfers {
  readonly #turns = new OnePerKey();

  constructor(private readonly parts: TransferParts) {}

  /**
   * Creates a payment and takes it as far as it goes. The same command again finds the payment that it made.
   * After `giveUpAtMs` (milliseconds since 1970) it is not begun: its sender may have been told that it never was.
   * Errors: `service_unavailable` when nothing is stored, `outcome_unknown` when something may be.
   */
  create(paymentId: string, created: PaymentCreated, giveUpAtMs: number): Promise<Brought> {
    return this.#turns.run(paymentId, () => orUnknown(paymentId, this.#create(paymentId, created, giveUpAtMs)));
  }

  /** Finishes what is left of a payment, then does `action`. Errors as `create`, and what `decide` throws. */
  bring(paymentId: string, action: Action | null): Promise<Brought> {
    const wish = { action, walletIds: action?.walletIds ?? [], answer: null, position: 0 };
    return this.#turns.run(paymentId, () => orUnknown(paymentId, this.#bring(paymentId, wish)));
  }

  async #create(paymentId: string, created: PaymentCreated, giveUpAtMs: number, draws = 0): Promise<Brought> {
    const { actorId, target, commandId, atUs } = created.data;
    const walletIds = target.userId === null ? [actorId] : [actorId, target.userId];
    const payerId = payerIdOf(created.data, target.userId);
    const sourceId = payerId === null ? null : await orUnavailable(this.parts.sourceIdOf(payerId));
    for (let tries = 1; tries <= LIMITS.payments.appendTries; tries += 1) {
      await orUnavailable(this.parts.wallets.load(walletIds));
      if (Date.now() > giveUpAtMs) break;
      const tails = this.#keptTails(walletIds);
      // While one was read, another's conflict may have forgotten the other.
      if (tails.size < walletIds.length) continue;
      const draft = new TransferDraft(paymentId, { ...NO_HISTORY, tails });
      draft.take({ kind: 'payment', event: created });
      const stop = draft.run({ sourceIdOf: () => sourceId, atUs });
      const position = await this.#store(draft);
      if (position !== null) return this.#goOn(draft, stop, { ...NO_WISH, position });
      const { payment } = await this.parts.histories.payment(paymentId);
      if (payment.status !== 'none') {
        if (payment.facts.commandId === commandId) return this.#bring(paymentId, NO_WISH);
        // Another's. The number of draws, not of tries: the command draws the same ids whenever it comes again.
        const nextId = paymentIdFor(idTimeMs(paymentId), commandId, draws + 1);
        return this.#turns.run(nextId, () => this.#create(nextId, created, giveUpAtMs, draws + 1));
      }
      await jitter(tries);
    }
    throw new SettleError('service_unavailable', 'It could not be begun in time, so nothing was. Send it again.');
  }

  async #bring(paymentId: string, wish: Wish): Promise<Brought> {
    for (let tries = 1; tries <= LIMITS.payments.appendTries; tries += 1) {
      const [draft, context] = await this.#read(paymentId, wish);
      if (wish.answer !== null) this.parts.errands.take(draft, wish.answer, context.atUs);
      let stop = draft.run(context);
      const isDue = wish.action !== null && stop.kind === 'rest';
      const refusal = isDue ? refusalOf(draft, wish.action) : null;
      if (isDue && refusal === null) stop = draft.run(context);
      const position = await this.#store(draft);
      if (position === null) {
        await jitter(tries);
        continue;
      }
      if (refusal !== null) {
        // What the refusal says of the payment, a later read says too.
        await this.parts.untilShown(Math.max(position, wish.position));
        throw refusal;
      }
      const action = isDue ? null : wish.action;
      return this.#goOn(draft, stop, { ...wish, action, answer: null, position: Math.max(position, wish.position) });
    }
    throw new SettleError('outcome_unknown', `Too many others act on payment ${paymentId}. Read it before going on.`);
  }

  /** After an append: at rest it is answered, else the funding source is asked and the payment brought on. */
  async #goOn(draft: TransferDraft, stop: Stop, wish: Wish): Promise<Brought> {
    if (stop.kind !== 'rest') {
      return this.#bring(draft.paymentId, { ...wish, answer: await this.parts.errands.run(draft.paymentId, stop) });
    }
    const { payment } = draft.transfer;
    if (payment.status === 'none') throw new SettleError('resource_not_found', 'There is no such payment.');
    const balances = new Map(draft.movedTails().map(([walletId, { balanceCents }]) => [walletId, balanceCents]));
    return { paymentId: draft.paymentId, payment, position: wish.position, balances };
  }

  /**
   * Reads a payment and its wallets, and puts what this process has decided since on top of them. From its return to
   * the append nothing is awaited: whoever decides in between would build on the same tails.
   */
  async #read(paymentId: string, { walletIds, position }: Wish): Promise<[TransferDraft, StepContext]> {
    for (;;) {
      const history = await this.parts.histories.read(paymentId, walletIds);
      const context = await this.#context(history);
      const tails = this.#tailsOnTop(history);
      if (tails === null) continue;
      const readPosition = Math.max(history.position, position);
      return [new TransferDraft(paymentId, { ...history, tails, position: readPosition }), context];
    }
  }

  /** Null when a wallet was read again after this history: a step could stand between the two. */
  #tailsOnTop(history: History): Map<string, WalletTail> | null {
    const { wallets } = this.parts;
    const tails = new Map<string, WalletTail>();
    for (const [walletId, tail] of history.tails) {
      wallets.read(walletId, tail);
      const kept = wallets.get(walletId);
      if (kept !== undefined && kept.readRevision > tail.revision) return null;
      tails.set(walletId, kept?.tail ?? tail);
    }
    return tails;
  }

  async #context(history: History): Promise<StepContext> {
    const sources = new Map<string, string | null>();
    for (const walletId of history.tails.keys()) sources.set(walletId, await this.parts.sourceIdOf(walletId));
    return { sourceIdOf: (userId) => sources.get(userId) ?? null, atUs: this.parts.clock.nowUs() };
  }

  #keptTails(walletIds: readonly string[]): Map<string, WalletTail> {
    const tails = new Map<string, WalletTail>();
    for (const walletId of walletIds) {
      const kept = this.parts.wallets.get(walletId);
      if (kept !== undefined) tails.set(walletId, kept.tail);
    }
    return tails;
  }

  /**
   * Stores a draft's unit. The position that shows it; null after a conflict: read again, decide again.
   * Wallets are kept as decided at once, so that whoever comes next builds on it.
   */
  async #store(draft: TransferDraft): Promise<number | null> {
    if (draft.unit.length === 0) return draft.readPosition;
    const { wallets, store } = this.parts;
    for (const [walletId, tail] of draft.movedTails()) wallets.decided(walletId, tail);
    try {
      const { position } = await store.append(draft.unit);
      return position;
    } catch (error) {
      for (const [walletId] of draft.movedTails()) wallets.forget(walletId);
      if (error instanceof RevisionConflict) return null;
      throw answerOf(error, draft);
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

/** What a failed append means to the caller: only when nothing at all is stored may it be sent again. */
function answerOf(error: unknown, draft: TransferDraft): unknown {
  if (error instanceof StoreUnavailable && draft.readPosition === 0) {
    return new SettleError('service_unavailable', 'The ledger cannot be reached and nothing was begun. Send it again.');
  }
  if (error instanceof StoreUnavailable || error instanceof AppendOutcomeUnknown) {
    return new SettleError('outcome_unknown', `Read payment ${draft.paymentId} before you send it again.`);
  }
  return error;
}

function jitter(tries: number): Promise<void> {
  return pause(Math.random() * Math.min(2 ** tries, LONGEST_JITTER_MS));
}
