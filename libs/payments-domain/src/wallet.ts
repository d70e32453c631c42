import type { FundingRefusal } from './funding-events.js';
import { checkedCents } from './money.js';
import { beginBeforeUsAt } from './provider-answers.js';
import type { WalletEvent } from './wallet-events.js';
import { decideFunding, type ChargeAnswer, type FundingCommand } from './wallet-funding.js';

/** A wallet after its newest event. Loading it reads one event: each has the balance after it. */
export interface WalletState {
  readonly isOpen: boolean;
  /** For a wallet that is not open: the balance that it opens with. */
  readonly balanceCents: number;
}

/** Source of the opening balance: only the sandbox gives one. */
const OPENING_SOURCE = 'sandbox';

/** Why a charge above the limits of its source is not requested. */
const ABOVE_LIMIT: FundingRefusal = { reason: 'funding_declined', code: 'limit' };

export const NO_WALLET: WalletState = { isOpen: false, balanceCents: 0 };

/** Folds an event into the wallet. Total. */
export function evolveWallet(_wallet: WalletState, event: WalletEvent): WalletState {
  return { isOpen: true, balanceCents: event.data.balanceCents };
}

interface ForPayment {
  readonly paymentId: string;
  readonly atUs: number;
}

export type WalletCommand =
  /**
   * Debit amount and fee, or charge the source for the whole. If neither is possible, a creation is refused and an
   * approval leaves no event. A negative balance pays nothing, and the source is not charged for it.
   */
  | (ForPayment & {
      readonly type: 'debit';
      readonly amountCents: number;
      readonly feeCents: number;
      readonly sourceId: string | null;
      readonly attempt: number;
      readonly isCreation: boolean;
      /** Key of the provider's charge; absent without a provider. */
      readonly chargeKey?: string;
      /** The limits of the source do not admit a charge: it is declined without asking the provider. */
      readonly isAboveLimit?: true;
      /** App through which the owner approves; absent for a creation. */
      readonly appId?: string;
    })
  /** The source's response to `FundingRequested`. */
  | (ForPayment &
      ChargeAnswer & {
        readonly type: 'fund';
        readonly amountCents: number;
        readonly feeCents: number;
        readonly sourceId: string;
        readonly attempt: number;
        readonly isApproved: boolean;
        readonly isCreation: boolean;
      })
  | (ForPayment & { readonly type: 'credit'; readonly amountCents: number; readonly isFromSource?: true })
  /** Return a debit; to the source if that has taken the money already. */
  | (ForPayment & {
      readonly type: 'return';
      readonly amountCents: number;
      readonly feeCents: number;
      readonly repaidSourceId: string | null;
      /** The provider's repayment; absent without a provider. */
      readonly repayment?: { readonly chargeKey: string; readonly key: string };
    })
  /** Deposit money from a source, for no payment. `deposit` is absent without a stream of its own that decides it. */
  | {
      readonly type: 'deposit';
      readonly amountCents: number;
      readonly sourceId: string;
      readonly deposit?: { readonly fundingId: string; readonly chargeKey?: string; readonly providerId?: string };
      readonly atUs: number;
    }
  | FundingCommand;

/** Returns the events that a command adds to a wallet; the first ones include its opening and opening balance. */
export function decideWallet(command: WalletCommand, wallet: WalletState): readonly WalletEvent[] {
  const facts = walletFacts(command, wallet.balanceCents);
  if (wallet.isOpen || facts.length === 0) return facts;
  return [...opening(wallet, command.atUs), ...facts];
}

function opening({ balanceCents }: WalletState, atUs: number): readonly WalletEvent[] {
  const opened: WalletEvent = { type: 'WalletOpened', data: { paymentId: null, balanceCents: 0, atUs } };
  if (balanceCents === 0) return [opened];
  const data = { paymentId: null, attempt: 0, amountCents: balanceCents, sourceId: OPENING_SOURCE, balanceCents, atUs };
  return [opened, { type: 'FundsAdded', data }];
}

function walletFacts(command: WalletCommand, balanceCents: number): readonly WalletEvent[] {
  switch (command.type) {
    case 'debit':
      return debit(command, balanceCents);
    case 'fund':
      return fund(command, balanceCents);
    case 'credit': {
      const { paymentId, atUs, amountCents, isFromSource } = command;
      const data = { paymentId, amountCents, balanceCents: checkedCents(balanceCents + amountCents), atUs };
      return [{ type: 'FundsCredited', data: isFromSource === undefined ? data : { ...data, isFromSource } }];
    }
    case 'return':
      return giveBack(command, balanceCents);
    case 'deposit': {
      const { amountCents, sourceId, deposit = {}, atUs } = command;
      const after = checkedCents(balanceCents + amountCents);
      const data = { paymentId: null, ...deposit, attempt: 0, amountCents, sourceId, balanceCents: after, atUs };
      return [{ type: 'FundsAdded', data }];
    }
    default:
      return decideFunding(command, balanceCents);
  }
}

function debit(command: Extract<WalletCommand, { type: 'debit' }>, balanceCents: number): readonly WalletEvent[] {
  const { paymentId, atUs, amountCents, feeCents, sourceId, attempt, chargeKey, appId } = command;
  const totalCents = checkedCents(amountCents + feeCents);
  const byApp = appId === undefined ? {} : { appId };
  if (balanceCents >= totalCents) {
    const debited = { paymentId, amountCents, feeCents, balanceCents: balanceCents - totalCents, atUs };
    // Nothing is copied for most payments: a creation without a provider.
    if (chargeKey === undefined && appId === undefined) return [{ type: 'FundsDebited', data: debited }];
    const paidBy = chargeKey === undefined ? {} : { chargeKey: null };
    return [{ type: 'FundsDebited', data: { ...debited, ...paidBy, ...byApp } }];
  }
  const canCharge = sourceId !== null && balanceCents >= 0;
  if (!canCharge && !command.isCreation) return [];
  const refused = { paymentId, attempt, balanceCents, atUs };
  if (!canCharge) return [{ type: 'DebitRefused', data: refused }];
  if (command.isAboveLimit) {
    // Without a key: the provider was not asked, and a later approval may use the key of this attempt.
    return command.isCreation ? [{ type: 'DebitRefused', data: { ...refused, ...ABOVE_LIMIT } }] : [];
  }
  const intent = chargeKey === undefined ? {} : { chargeKey, beginBeforeUs: beginBeforeUsAt(atUs) };
  const asked = { paymentId, attempt, amountCents: totalCents, sourceId, ...intent, balanceCents, atUs, ...byApp };
  return [{ type: 'FundingRequested', data: asked }];
}

function fund(command: Extract<WalletCommand, { type: 'fund' }>, balanceCents: number): readonly WalletEvent[] {
  const { paymentId, atUs, amountCents, feeCents, sourceId, attempt, chargeKey, providerId, refusal } = command;
  const ofCharge = chargeKey === undefined ? {} : { chargeKey };
  if (!command.isApproved) {
    // A declined creation is refused for good; an approval may be retried.
    const type = command.isCreation ? 'DebitRefused' : 'FundingDeclined';
    return [{ type, data: { paymentId, attempt, ...ofCharge, ...refusal, balanceCents, atUs } }];
  }
  const totalCents = checkedCents(amountCents + feeCents);
  const funded = checkedCents(balanceCents + totalCents);
  const added = { paymentId, attempt, amountCents: totalCents, sourceId, balanceCents: funded, atUs };
  const ofProvider = providerId === undefined ? ofCharge : { ...ofCharge, providerId };
  return [
    { type: 'FundsAdded', data: { ...added, ...ofProvider } },
    { type: 'FundsDebited', data: { paymentId, amountCents, feeCents, ...ofCharge, balanceCents, atUs } },
  ];
}

function giveBack(command: Extract<WalletCommand, { type: 'return' }>, balanceCents: number): readonly WalletEvent[] {
  const { paymentId, atUs, amountCents, feeCents, repaidSourceId, repayment } = command;
  const totalCents = checkedCents(amountCents + feeCents);
  const after = checkedCents(balanceCents + totalCents);
  const returned: WalletEvent = {
    type: 'FundsReturned',
    data: { paymentId, amountCents, feeCents, balanceCents: after, atUs },
  };
  if (repaidSourceId === null) return [returned];
  const ofRepayment = repayment === undefined ? {} : { chargeKey: repayment.chargeKey, repaymentKey: repayment.key };
  const data = { paymentId, amountCents: totalCents, sourceId: repaidSourceId, ...ofRepayment, balanceCents, atUs };
  return [returned, { type: 'FundsWithdrawn', data }];
}
