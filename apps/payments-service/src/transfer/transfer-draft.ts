import { NO_STREAM, type NewEvent, type StreamAppend } from '@settle/event-store';
import {
  NO_PAYMENT,
  NO_STEPS,
  NO_WALLET,
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
import { newPaymentEvent, newWalletEvent } from '../step-ids.js';
import { paymentStream, walletStream } from '../streams.js';

/** A wallet and how far its stream has come; `NO_STREAM` before its first event. */
export interface WalletTail extends WalletState {
  readonly revision: number;
}

/** A wallet without a stream. @param openingCents what it will open with */
export function unopenedWallet(openingCents: number): WalletTail {
  return { ...NO_WALLET, balanceCents: openingCents, revision: NO_STREAM };
}

/** A step that is an append. */
export type Move = Extract<NextStep, { kind: 'payment' | 'wallet' | 'refund' }>;
/** The next step is on a wallet that another instance owns. */
interface Elsewhere {
  readonly kind: 'elsewhere';
  readonly walletId: string;
}
/** Where a draft stops: at an errand to a funding source, at rest, or where another instance has to go on. */
export type Stop = Exclude<NextStep, Move> | Elsewhere;

/** Everything known of a payment and the wallets that its next steps may touch. */
export interface History {
  readonly payment: PaymentState;
  readonly paymentRevision: number;
  readonly steps: ReadonlyMap<string, WalletSteps>;
  /** Of this instance's wallets. */
  readonly tails: ReadonlyMap<string, WalletTail>;
  readonly isRefundWritten: boolean;
  /** Of the payment that gives this one back, where it is a held pay that has not settled; else empty. */
  readonly refundId: string;
  /** Position of the payment's newest event, 0 when there is none. */
  readonly position: number;
}

export const NO_HISTORY: History = {
  payment: NO_PAYMENT,
  paymentRevision: NO_STREAM,
  steps: new Map(),
  tails: new Map(),
  isRefundWritten: false,
  refundId: '',
  position: 0,
};

/** Follows a payment step by step and writes down the appends that bring it there, as one unit. No I/O. */
export class TransferDraft {
  readonly unit: StreamAppend[] = [];
  readonly tails: Map<string, WalletTail>;
  #payment: PaymentState;
  #paymentRevision: number;
  readonly #steps: Map<string, WalletSteps>;
  #isRefundWritten: boolean;
  /** As its history's. */
  readonly refundId: string;
  /** Position of the payment's newest event that was read, 0 when none was. */
  readonly readPosition: number;
  readonly #readTails: ReadonlyMap<string, WalletTail>;

  constructor(
    readonly paymentId: string,
    history: History,
  ) {
    this.#payment = history.payment;
    this.#paymentRevision = history.paymentRevision;
    this.#steps = new Map(history.steps);
    this.tails = new Map(history.tails);
    this.#isRefundWritten = history.isRefundWritten;
    this.refundId = history.refundId;
    this.readPosition = history.position;
    this.#readTails = history.tails;
  }

  /** The wallets that the unit changes, as it leaves them. */
  movedTails(): [string, WalletTail][] {
    return [...this.tails].filter(([walletId, tail]) => this.#readTails.get(walletId) !== tail);
  }

  get transfer(): Transfer {
    const { paymentId } = this;
    return { paymentId, payment: this.#payment, steps: this.#steps, isRefundWritten: this.#isRefundWritten };
  }

  stepsOf(walletId: string): WalletSteps {
    return this.#steps.get(walletId) ?? NO_STEPS;
  }

  get paymentRevision(): number {
    return this.#paymentRevision;
  }

  /** Takes every step that is an append, up to the first that is none, or that is on a wallet without a tail here. */
  run(context: StepContext): Stop {
    for (;;) {
      const step = nextStep(this.transfer, context);
      if ('walletId' in step && !this.tails.has(step.walletId)) return { kind: 'elsewhere', walletId: step.walletId };
      if (step.kind === 'charge' || step.kind === 'repay' || step.kind === 'rest') return step;
      this.take(step);
    }
  }

  /** Adds one move to the unit and to the state that the next is decided on. */
  take(move: Move): void {
    switch (move.kind) {
      case 'payment': {
        this.#append(paymentStream(this.paymentId), this.#paymentRevision, [
          newPaymentEvent(this.paymentId, move.event),
        ]);
        this.#payment = evolvePayment(this.#payment, move.event);
        this.#paymentRevision += 1;
        return;
      }
      case 'wallet':
        this.command(move.walletId, move.command);
        return;
      case 'refund': {
        const { refundId } = this;
        const events = move.events.map((event) => newPaymentEvent(refundId, event));
        this.#append(paymentStream(refundId), NO_STREAM, events);
        this.#isRefundWritten = true;
      }
    }
  }

  /** Whether the wallet had an answer to the command: an approval without funds has none. */
  command(walletId: string, command: WalletCommand): boolean {
    const tail = this.tails.get(walletId);
    if (tail === undefined) throw new Error(`The wallet ${walletId} was not loaded for payment ${this.paymentId}`);
    const events = decideWallet(command, tail);
    if (events.length === 0) return false;
    let { isOpen, balanceCents } = tail;
    for (const event of events) {
      ({ isOpen, balanceCents } = evolveWallet({ isOpen, balanceCents }, event));
      if (event.data.paymentId !== this.paymentId) continue;
      this.#steps.set(walletId, evolveSteps(this.stepsOf(walletId), event));
    }
    this.#append(
      walletStream(walletId),
      tail.revision,
      events.map((event) => newWalletEvent(walletId, event)),
    );
    this.tails.set(walletId, { isOpen, balanceCents, revision: tail.revision + events.length });
    return true;
  }

  /** What goes on where the append before it ends is one append with it: no store can then tear the two apart. */
  #append(stream: string, expectedRevision: number, events: readonly NewEvent[]): void {
    const last = this.unit.at(-1);
    if (last?.stream === stream) this.unit.splice(-1, 1, { ...last, events: [...last.events, ...events] });
    else this.unit.push({ stream, expectedRevision, events });
  }
}
