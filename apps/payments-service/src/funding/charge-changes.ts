import {
  chargeChange,
  chargeResult,
  lateRepaymentAnswer,
  newestOrphanRepayment,
  repaymentResult,
  type ChargeOwner,
  type Contradiction,
  type RepayCall,
} from '@settle/payments-domain';
import type { ProviderCharge } from '@settle/provider-api';
import type { Clock } from '../storage/clock.js';
import { prepareCall, type FundingProvider } from '../transfer/provider-calls.js';
import { AGAIN, APPLIED, type ChangeAttempts, type ChangeVerdict } from './change-attempts.js';
import type { ChargeReader, StoredCharge } from './charge-reader.js';
import type { Contradictions } from './contradictions.js';
import type { OwnerAdvances } from './owner-advances.js';
import { moneyOf } from './provider-money.js';
import { appendToWallet, type WalletAppendContext } from './funding-appends.js';

export interface ChargeChangesParts extends WalletAppendContext {
  readonly attempts: ChangeAttempts;
  readonly charges: ChargeReader;
  readonly advances: OwnerAdvances;
  readonly contradictions: Contradictions;
  readonly provider: Pick<FundingProvider, 'repay'>;
  readonly clock: Clock;
}

/** Applies what charges of the provider have become, money that comes after our "no" included. */
export class ChargeChanges {
  constructor(private readonly parts: ChargeChangesParts) {}

  /** Resolves when the log has what follows from the charge. Errors: those of `ChangeAttempts` and of the ledger. */
  apply(key: string, leastVersion?: number): Promise<'applied' | Contradiction> {
    return this.parts.attempts.untilApplied('charge', key, (object) => this.#decide(key, object), leastVersion);
  }

  async #decide(key: string, object: ProviderCharge): Promise<ChangeVerdict> {
    const stored = await this.parts.charges.find(key);
    if (stored === null) return this.#decideOrphan(key);
    if (stored.isSettledBefore) return APPLIED;
    const { owner, wallet } = stored;
    const result = chargeResult(moneyOf(object), { amountCents: owner.totalCents, isMissingFinal: false });
    const step = chargeChange(owner, stored, { result, atUs: this.parts.clock.nowUs() });
    switch (step.kind) {
      case 'applied':
        // The answer to the owner's request has the page, and the user is notified of it.
        if (object.state === 'action_required') await this.#advance(owner);
        return step;
      case 'contradiction':
        return step;
      case 'advance':
        await this.#advance(owner);
        return AGAIN;
      case 'wallet':
        await appendToWallet(this.parts, wallet, step.walletId, step.command);
        return AGAIN;
      case 'repay':
        return this.#repayLate(stored, step);
    }
  }

  /** An orphan that an operator gives back is not listed again. */
  async #decideOrphan(key: string): Promise<ChangeVerdict> {
    const newest = newestOrphanRepayment(await this.parts.contradictions.read(key));
    const isHandled = newest?.state === 'requested' || newest?.state === 'accepted';
    return isHandled ? APPLIED : { kind: 'contradiction', contradiction: 'unknown_key' };
  }

  async #advance({ paymentId, fundingId, walletId }: ChargeOwner): Promise<void> {
    const { advances } = this.parts;
    if (paymentId !== null) await advances.advancePayment(paymentId, walletId);
    else if (fundingId !== null) await advances.advanceFunding({ kind: 'deposit', id: fundingId }, walletId);
  }

  /** Sends the money back that a refused charge has brought. The intent is stored. */
  async #repayLate(
    { owner, charge, wallet }: StoredCharge,
    { key, chargeKey = '', beginBeforeUs = 0, walletId }: RepayCall,
  ): Promise<ChangeVerdict> {
    const { provider, clock, attempts, contradictions } = this.parts;
    if (charge === undefined) throw new Error(`The charge ${chargeKey} has a repayment and is not known`);
    const amountCents = owner.totalCents;
    const { call, expected } = prepareCall({ key, userId: walletId, amountCents, beginBeforeUs }, clock);
    const result = repaymentResult(await provider.repay({ ...call, chargeKey }), expected);
    if (result.kind === 'unknown') return attempts.failAsUnanswered(`The repayment ${key} has no answer yet`);
    if (result.kind === 'contradiction') {
      await contradictions.record(key, result.contradiction);
      return APPLIED;
    }
    const command = lateRepaymentAnswer(owner, charge, { key, answer: result.kind, atUs: clock.nowUs() });
    if (command !== null) await appendToWallet(this.parts, wallet, walletId, command);
    return AGAIN;
  }
}
