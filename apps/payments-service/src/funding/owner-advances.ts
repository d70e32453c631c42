import type { FundingRef } from '../read-models/funding/funding-unit.js';
import type { PaymentFunding } from '../transfer/payment-funding.js';
import type { WalletOwnership } from '../transfer/wallet-ownership.js';
import type { FundingRunner } from './funding-runner.js';

interface AdvanceParts {
  readonly runner: Pick<FundingRunner, 'advance'>;
  readonly payments: Pick<PaymentFunding, 'followChange'>;
  readonly ownership: Pick<WalletOwnership, 'owns' | 'requestFunding'>;
}

/** Has what the provider has decided stored by the instance that owns the wallet. The caller reads the log afterwards. */
export class OwnerAdvances {
  constructor(private readonly parts: AdvanceParts) {}

  /** Errors: those of `PaymentFunding.followChange`. */
  advancePayment(paymentId: string, walletId: string): Promise<void> {
    return this.parts.payments.followChange(paymentId, walletId);
  }

  /** Errors: those of `FundingRunner.advance`; none if another instance does not respond. */
  async advanceFunding(ref: FundingRef & { readonly kind: OwnedKind }, walletId: string): Promise<void> {
    const { runner, ownership } = this.parts;
    if (ownership.owns(walletId)) await runner.advance(ref);
    else await ownership.requestFunding(ref, walletId);
  }
}

type OwnedKind = 'deposit' | 'withdrawal' | 'reversal';
