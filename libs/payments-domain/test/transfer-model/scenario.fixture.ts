import { approvalDebit, fundingAnswer, returnAfterRepayment } from '../../src/approval.js';
import { areConcurrent } from '../../src/concurrent-steps.js';
import { nextStep } from '../../src/next-step.js';
import { decidePayment } from '../../src/payment-decisions.js';
import type { PaymentEvent } from '../../src/payment-events.js';
import type { WalletEvent } from '../../src/wallet-events.js';
import { decideWallet } from '../../src/wallet.js';

/** Ann makes the payment. Bob and Cyd are whom it can be for: by name, or by an address that one after the other has. */
export const PEOPLE = ['ann', 'bob', 'cyd'] as const;
export type Person = (typeof PEOPLE)[number];

/** The one payment of every world. */
export const PAYMENT_ID = 'p';

export type Deed =
  | { readonly type: 'create' | 'work' | 'expire' | 'cancel' | 'traffic' }
  | { readonly type: 'approve' | 'deny' | 'claim'; readonly by: Person };

/** One world: who has what, what breaks, who does what. The seed decides the order of everything. */
export interface Scenario {
  readonly action: 'pay' | 'charge';
  /** Null: to an address that is unverified when the payment is made. */
  readonly targetId: 'bob' | null;
  readonly isTrusted: boolean;
  readonly amountCents: number;
  readonly feeCents: number;
  /** Null: the wallet has never been opened. */
  readonly fundsCents: Readonly<Record<Person, number | null>>;
  readonly sources: Readonly<Record<Person, 'none' | 'approves' | 'declines' | 'varies'>>;
  readonly repays: 'always' | 'never' | 'varies';
  /**
   * A store that keeps a unit whole; one that may keep a prefix of it; or one that may keep, of the appends that are
   * concurrent, any subset.
   */
  readonly adapter: 'whole' | 'prefix' | 'subset';
  /** Most appends that an instance puts into one unit. */
  readonly unitLimit: number;
  readonly crashRate: number;
  /** How often the source's answer does not arrive, whether it acted or not. */
  readonly lossRate: number;
  /** How many events the journal takes over at most when it moves; 0: it stands still until the end. */
  readonly journalPace: number;
  /** How often a wallet belongs to another instance than the one that looks; 0: one instance owns all. */
  readonly othersRate: number;
  readonly deeds: readonly Deed[];
  readonly seed: number;
}

/** Worlds where approvals from one source race and answers get lost: too rare among all worlds to be met often. */
export const APPROVALS: Partial<Scenario> = {
  action: 'charge',
  targetId: 'bob',
  fundsCents: { ann: null, bob: 1, cyd: null },
  sources: { ann: 'none', bob: 'varies', cyd: 'none' },
  lossRate: 0.3,
  crashRate: 0,
  deeds: [{ type: 'create' }, ...Array.from({ length: 6 }, (): Deed => ({ type: 'approve', by: 'bob' }))],
};

/** Worlds where two users, who have the charged address one after the other, approve it. */
export const TWO_APPROVERS: Partial<Scenario> = {
  action: 'charge',
  targetId: null,
  fundsCents: { ann: null, bob: 30, cyd: 30 },
  sources: { ann: 'none', bob: 'none', cyd: 'approves' },
  adapter: 'prefix',
  deeds: [
    { type: 'create' },
    ...Array.from({ length: 2 }, (): Deed[] => [
      { type: 'approve', by: 'bob' },
      { type: 'approve', by: 'cyd' },
    ]).flat(),
  ],
};

/** The functions of the domain and the rules of the protocol, each replaceable by a fault. */
export interface Rules {
  readonly nextStep: typeof nextStep;
  readonly areConcurrent: typeof areConcurrent;
  readonly decidePayment: typeof decidePayment;
  readonly decideWallet: typeof decideWallet;
  readonly approvalDebit: typeof approvalDebit;
  readonly fundingAnswer: typeof fundingAnswer;
  readonly returnAfterRepayment: typeof returnAfterRepayment;
  /** The id that a store recognizes a repeated event by. */
  readonly eventId: (streamKey: string, event: PaymentEvent | WalletEvent) => string;
  /**
   * Where a store keeps parts of a unit, a create looks for the payment after loading the wallets: another delivery's
   * creation passes for its own there, and that one's steps may hide in the wallets. A whole unit needs no look.
   */
  readonly looksBeforeCreating: boolean;
  readonly takesSilenceForNo: boolean;
  /** No step is taken on a wallet of which only the journal is known. */
  readonly leavesOthersSteps: boolean;
  /** A resume reads every wallet that has an event of the payment, not only those of the parties. */
  readonly readsEveryWallet: boolean;
  /** Every action first brings the creation to its end. */
  readonly finishesFirst: boolean;
}

export const RULES: Rules = {
  nextStep,
  areConcurrent,
  decidePayment,
  decideWallet,
  approvalDebit,
  fundingAnswer,
  returnAfterRepayment,
  eventId,
  looksBeforeCreating: true,
  takesSilenceForNo: false,
  leavesOthersSteps: true,
  readsEveryWallet: true,
  finishesFirst: true,
};

/** Two ends of the same kind that name different people or refunds are different events. */
function eventId(streamKey: string, event: PaymentEvent | WalletEvent): string {
  const { data } = event;
  const named = 'targetUserId' in data ? data.targetUserId : '';
  const refund = 'refundId' in data ? data.refundId : '';
  const attempt = 'attempt' in data ? data.attempt : '';
  const paymentId = 'paymentId' in data ? data.paymentId : '';
  return [streamKey, event.type, paymentId, attempt, named, refund].join(' ');
}
