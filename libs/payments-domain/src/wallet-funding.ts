import type { FundingRefusal } from './funding-events.js';
import { withdrawableCents } from './funding-limits.js';
import { checkedCents } from './money.js';
import { beginBeforeUsAt } from './provider-answers.js';
import type { ForOwner, WalletEvent } from './wallet-events.js';

/** The payment, or the deposit or withdrawal, that a command is for: one of the two is null. */
interface OfOwner extends Required<ForOwner> {
  readonly atUs: number;
}

interface OfCharge extends OfOwner {
  readonly chargeKey: string;
}

/** Commands of a wallet whose money comes from, or goes to, a provider. */
export type FundingCommand =
  /** Store the intent of a repayment, before it is sent. */
  | (OfCharge & { readonly type: 'request-repayment'; readonly key: string })
  /** Take in money of a charge that had been refused; `repaymentKey` null: the provider does not take it back. */
  | (OfCharge & {
      readonly type: 'add-late';
      readonly amountCents: number;
      readonly sourceId: string;
      readonly attempt: number;
      readonly repaymentKey: string | null;
    })
  /** Take the money of a withdrawal, if the balance less what is held covers it. */
  | (OfOwner & {
      readonly type: 'withdraw';
      readonly amountCents: number;
      readonly sourceId: string;
      /** Money that came from a source too short a time ago. */
      readonly heldCents: number;
    })
  /** Take back a payout (`repayment` null) or a repayment that did not stay where it was sent. */
  | (OfOwner & {
      readonly type: 'take-back';
      readonly amountCents: number;
      readonly wasPaid: boolean;
      readonly repayment: { readonly chargeKey: string; readonly key: string } | null;
    })
  /** Follow a reversal that was opened, or (`isWon`) won. */
  | (OfCharge & {
      readonly type: 'reverse';
      readonly reversalId: string;
      readonly amountCents: number;
      readonly isWon: boolean;
    });

/** The answer that a charge of a provider got, as far as events store it. */
export interface ChargeAnswer {
  /** Absent for a charge from before there was a provider. */
  readonly chargeKey?: string;
  readonly providerId?: string;
  readonly refusal?: FundingRefusal;
}

/** Returns the events of a funding command; none for a withdrawal that the balance does not cover. */
export function decideFunding(command: FundingCommand, balanceCents: number): readonly WalletEvent[] {
  const { paymentId, fundingId, atUs } = command;
  const owner = { paymentId, fundingId };
  switch (command.type) {
    case 'request-repayment': {
      const { chargeKey, key } = command;
      const data = { ...owner, chargeKey, key, beginBeforeUs: beginBeforeUsAt(atUs), balanceCents, atUs };
      return [{ type: 'RepaymentRequested', data }];
    }
    case 'add-late':
      return addLate(command, balanceCents);
    case 'withdraw': {
      const { amountCents, sourceId, heldCents } = command;
      if (withdrawableCents(balanceCents, heldCents) < amountCents) return [];
      const data = { ...owner, amountCents, sourceId, balanceCents: balanceCents - amountCents, atUs };
      return [{ type: 'FundsWithdrawn', data }];
    }
    case 'take-back': {
      const { amountCents, wasPaid, repayment } = command;
      const of = repayment === null ? {} : { chargeKey: repayment.chargeKey, repaymentKey: repayment.key };
      const after = checkedCents(balanceCents + amountCents);
      return [
        { type: 'WithdrawalReversed', data: { ...owner, ...of, amountCents, wasPaid, balanceCents: after, atUs } },
      ];
    }
    case 'reverse': {
      const { reversalId, chargeKey, amountCents, isWon } = command;
      const after = checkedCents(balanceCents + (isWon ? amountCents : -amountCents));
      const data = { ...owner, reversalId, chargeKey, amountCents, balanceCents: after, atUs };
      return [{ type: isWon ? 'ReversalReturned' : 'FundsReversed', data }];
    }
  }
}

function addLate(command: Extract<FundingCommand, { type: 'add-late' }>, balanceCents: number): readonly WalletEvent[] {
  const { paymentId, fundingId, atUs, chargeKey, amountCents, sourceId, attempt, repaymentKey } = command;
  const facts = { paymentId, fundingId, chargeKey, amountCents, sourceId, atUs };
  const after = checkedCents(balanceCents + amountCents);
  const added: WalletEvent = { type: 'FundsAdded', data: { ...facts, attempt, isLate: true, balanceCents: after } };
  if (repaymentKey === null) return [added];
  return [added, { type: 'FundsWithdrawn', data: { ...facts, repaymentKey, balanceCents } }];
}
