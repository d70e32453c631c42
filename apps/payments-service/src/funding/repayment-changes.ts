import { repaymentChange, repaymentResult, type Contradiction } from '@settle/payments-domain';
import type { ProviderRepayment } from '@settle/provider-api';
import type { Clock } from '../storage/clock.js';
import { AGAIN, APPLIED, type ChangeAttempts, type ChangeVerdict } from './change-attempts.js';
import type { ChargeChanges } from './charge-changes.js';
import type { ChargeReader } from './charge-reader.js';
import type { Contradictions } from './contradictions.js';
import type { OwnerAdvances } from './owner-advances.js';
import { moneyOf } from './provider-money.js';
import { appendToWallet, type WalletAppendContext } from './funding-appends.js';

export interface RepaymentChangesParts extends WalletAppendContext {
  readonly attempts: ChangeAttempts;
  readonly charges: ChargeReader;
  readonly chargeChanges: ChargeChanges;
  readonly advances: OwnerAdvances;
  readonly contradictions: Contradictions;
  readonly clock: Clock;
}

/** Applies what repayments of the provider have become, also those that fail or come back after they were accepted. */
export class RepaymentChanges {
  constructor(private readonly parts: RepaymentChangesParts) {}

  /** Resolves when the log has what follows from the repayment. Errors: those of `ChangeAttempts` and of the ledger. */
  apply(key: string, leastVersion?: number): Promise<'applied' | Contradiction> {
    return this.parts.attempts.untilApplied('repayment', key, (object) => this.#decide(key, object), leastVersion);
  }

  async #decide(key: string, object: ProviderRepayment): Promise<ChangeVerdict> {
    const { charges, chargeChanges, advances, clock } = this.parts;
    const { charge_key: chargeKey } = object;
    let stored = await charges.find(chargeKey);
    if (stored !== null && stored.charge?.isAdded !== true) {
      // The charge's own answer comes first.
      await chargeChanges.apply(chargeKey);
      stored = await charges.find(chargeKey);
    }
    if (stored === null) return this.#decideOrphan(key, object);
    const { owner, charge, wallet } = stored;
    const result = repaymentResult(moneyOf(object), { amountCents: owner.totalCents, isMissingFinal: false });
    const step = repaymentChange(owner, charge, { key, result, atUs: clock.nowUs() });
    switch (step.kind) {
      case 'applied':
      case 'contradiction':
        return step;
      case 'wallet':
        await appendToWallet(this.parts, wallet, step.walletId, step.command);
        return AGAIN;
      case 'advance':
      case 'repay':
        // A payment has asked for it to return its debit; otherwise the charge's money came late.
        if (owner.paymentId !== null && !stored.isRefused) {
          await advances.advancePayment(owner.paymentId, owner.walletId);
        } else {
          await chargeChanges.apply(chargeKey);
        }
        return AGAIN;
    }
  }

  /** An operator gives an orphan charge back; the command stores the first answer. */
  async #decideOrphan(key: string, object: ProviderRepayment): Promise<ChangeVerdict> {
    const orphan = await this.parts.contradictions.read(object.charge_key);
    const repayments = orphan.status === 'none' ? [] : orphan.repayments;
    const known = repayments.find((repayment) => repayment.key === key);
    if (known === undefined) return { kind: 'contradiction', contradiction: 'unknown_key' };
    const result = repaymentResult(moneyOf(object), { amountCents: known.amountCents, isMissingFinal: false });
    if (result.kind === 'contradiction') return result;
    const isTakenBack = known.state === 'accepted' && result.kind === 'refused';
    return isTakenBack ? { kind: 'contradiction', contradiction: 'answered_otherwise' } : APPLIED;
  }
}
