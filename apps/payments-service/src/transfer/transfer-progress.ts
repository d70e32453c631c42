import { NO_STREAM, type NewEvent, type StreamAppend } from '@settle/event-store';
import {
  NO_PAYMENT,
  NO_STEPS,
  NO_WALLET,
  areConcurrent,
  decideWallet,
  evolvePayment,
  evolveSteps,
  evolveWallet,
  nextStep,
  type NextStep,
  type PaymentState,
  type StepContext,
  type Transfer,
  type WalletCommand,
  type WalletState,
  type WalletSteps,
} from '@settle/payments-domain';
import { newPaymentEvent, newWalletEvent } from '../storage/step-ids.js';
import { paymentStream, walletStream } from '../storage/streams.js';

/** More steps than any payment takes in one unit. */
const MOST_STEPS = 20;

/** A wallet's state at a revision of its stream; `NO_STREAM` before its first event. */
export interface WalletTail extends WalletState {
  readonly revision: number;
}

/** Returns a wallet without events. @param openingCents balance that it opens with */
export function emptyWallet(openingCents: number): WalletTail {
  return { ...NO_WALLET, balanceCents: openingCents, revision: NO_STREAM };
}

/** A step that appends events. */
export type AppendStep = Extract<NextStep, { kind: 'payment' | 'wallet' | 'refund' }>;
/** The next step changes a wallet that another instance owns. */
interface OtherOwner {
  readonly kind: 'other owner';
  readonly walletId: string;
}
/** The reason why a payment waits: a funding source, another instance's wallet, a user, or none. */
export type NextWait = Exclude<NextStep, AppendStep> | OtherOwner;

/** A call to a funding source that a payment waits for. */
export type FundingCall = Extract<NextStep, { kind: 'charge' | 'repay' }>;

/** Whether a payment waits for a funding source. */
export function isFundingCall(step: NextStep | NextWait): step is FundingCall {
  return step.kind === 'charge' || step.kind === 'repay';
}

/** A payment as read, with the wallets that its next steps may change. */
export interface TransferHistory {
  readonly payment: PaymentState;
  readonly paymentRevision: number;
  readonly steps: ReadonlyMap<string, WalletSteps>;
  /** Wallets of this instance. */
  readonly tails: ReadonlyMap<string, WalletTail>;
  readonly isRefundWritten: boolean;
  /** Id of the refund payment of a held pay that has not settled; empty for other payments. */
  readonly refundId: string;
  /** Log position of the payment's newest event; 0 if it has none. */
  readonly position: number;
  /** Id of what leads to the next steps: the command that creates the payment, or the newest event of its stream. */
  readonly causationId: string;
}

export const NO_HISTORY: TransferHistory = {
  payment: NO_PAYMENT,
  paymentRevision: NO_STREAM,
  steps: new Map(),
  tails: new Map(),
  isRefundWritten: false,
  refundId: '',
  position: 0,
  causationId: '',
};

/** Decides a payment's next steps and collects their appends as one unit. Pure: no I/O. */
export class TransferProgress {
  readonly unit: StreamAppend[] = [];
  readonly tails: Map<string, WalletTail>;
  /** User whose source the unit requests a provider to charge; null if it requests none. */
  chargedUserId: string | null = null;
  /** Id of the command or event that leads to the steps that are applied from now on. */
  causationId: string;
  readonly #steps: Map<string, WalletSteps>;
  #payment: PaymentState;
  #paymentRevision: number;
  #isRefundWritten: boolean;
  #previous: AppendStep | null = null;

  constructor(
    readonly paymentId: string,
    readonly history: TransferHistory,
  ) {
    this.tails = new Map(history.tails);
    this.#steps = new Map(history.steps);
    this.#payment = history.payment;
    this.#paymentRevision = history.paymentRevision;
    this.#isRefundWritten = history.isRefundWritten;
    this.causationId = history.causationId;
  }

  /** Returns the wallets that the unit changes, in their new state. */
  changedTails(): [string, WalletTail][] {
    return [...this.tails].filter(([walletId, tail]) => this.history.tails.get(walletId) !== tail);
  }

  get transfer(): Transfer {
    const { paymentId } = this;
    return { paymentId, payment: this.#payment, steps: this.#steps, isRefundWritten: this.#isRefundWritten };
  }

  stepsOf(walletId: string): WalletSteps {
    return this.#steps.get(walletId) ?? NO_STEPS;
  }

  /**
   * Applies steps until one does not append, or changes a wallet that is not loaded. Returns what the payment waits for: a
   * provider's answer also for a wallet of another instance, whose request for it is stored.
   */
  advance(context: StepContext): NextWait {
    for (let steps = 0; steps < MOST_STEPS; steps += 1) {
      const step = nextStep(this.transfer, context);
      const isProviderCall = isFundingCall(step) && step.beginBeforeUs !== undefined;
      if ('walletId' in step && !isProviderCall && !this.tails.has(step.walletId)) {
        return { kind: 'other owner', walletId: step.walletId };
      }
      if (isFundingCall(step) || step.kind === 'idle') return step;
      this.apply(step);
    }
    throw new Error(`Payment ${this.paymentId} takes more than ${MOST_STEPS} steps`);
  }

  /** Adds a step to the unit and to the state on which the next step is decided. */
  apply(step: AppendStep): void {
    const isConcurrent = this.#previous !== null && areConcurrent(this.transfer, this.#previous, step);
    this.#applyStep(step);
    if (isConcurrent) this.#markConcurrent();
    this.#previous = step;
  }

  #applyStep(step: AppendStep): void {
    switch (step.kind) {
      case 'payment': {
        this.#append(paymentStream(this.paymentId), this.#paymentRevision, [
          newPaymentEvent(this.paymentId, step.event),
        ]);
        this.#payment = evolvePayment(this.#payment, step.event);
        this.#paymentRevision += 1;
        return;
      }
      case 'wallet':
        this.applyCommand(step.walletId, step.command);
        return;
      case 'refund': {
        const { refundId } = this.history;
        const events = step.events.map((event) => newPaymentEvent(refundId, event));
        this.#append(paymentStream(refundId), NO_STREAM, events);
        this.#isRefundWritten = true;
      }
    }
  }

  /** Marks the last append as concurrent with the one before it. */
  #markConcurrent(): void {
    const last = this.unit.at(-1);
    if (last !== undefined && this.unit.length > 1) this.unit.splice(-1, 1, { ...last, isConcurrent: true });
  }

  /** Applies a command to a wallet. Returns whether it led to events: an approval without funds does not. */
  applyCommand(walletId: string, command: WalletCommand): boolean {
    const tail = this.tails.get(walletId);
    if (tail === undefined) throw new Error(`The wallet ${walletId} was not loaded for payment ${this.paymentId}`);
    this.#previous = null;
    const events = decideWallet(command, tail);
    if (events.length === 0) return false;
    for (const event of events) {
      if (event.data.paymentId !== this.paymentId) continue;
      if (event.type === 'FundingRequested' && event.data.chargeKey !== undefined) this.chargedUserId = walletId;
      this.#steps.set(walletId, evolveSteps(this.stepsOf(walletId), event));
    }
    this.#append(
      walletStream(walletId),
      tail.revision,
      events.map((event) => newWalletEvent(walletId, event)),
    );
    this.tails.set(walletId, { ...events.reduce(evolveWallet, tail), revision: tail.revision + events.length });
    return true;
  }

  /** Joins an append to the previous one if both are to the same stream, so that no store can store one without the other. */
  #append(stream: string, expectedRevision: number, decided: readonly NewEvent[]): void {
    const { causationId } = this;
    const events = decided.map((event) => ({ ...event, causationId }));
    const last = this.unit.at(-1);
    if (last?.stream === stream) this.unit.splice(-1, 1, { ...last, events: [...last.events, ...events] });
    else this.unit.push({ stream, expectedRevision, events });
  }
}

/** A decision on a payment whose creation is complete or waits for the provider: an action of a user, an expiry or a claim. */
export interface TransferAction {
  /** Returns the first append, or null for none. An error that it throws is reported once the creation is stored. */
  readonly decide: (progress: TransferProgress, context: StepContext) => AppendStep | null;
  /** Wallets, beside those of payer and payee, that the action may change. This instance owns them. */
  readonly walletIds: readonly string[];
  /** Id of the command of a user; absent if no command leads to the action. */
  readonly commandId?: string;
}

/** Adds what an action decides to the unit. Returns the error that it throws; null if it throws none. */
export function refusalOf(progress: TransferProgress, action: TransferAction, context: StepContext): unknown {
  if (action.commandId !== undefined) progress.causationId = action.commandId;
  try {
    const step = action.decide(progress, context);
    if (step !== null) progress.apply(step);
    return null;
  } catch (error) {
    return error;
  }
}
