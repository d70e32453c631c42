import {
  NO_STEPS,
  evolveSteps,
  totalCentsOf,
  type ChargeOwner,
  type ChargeState,
  type StepFact,
  type WalletEvent,
} from '@settle/payments-domain';
import type { PaymentHistoryReader } from '../transfer/payment-history.js';
import type { StoredWallet } from '../transfer/wallet-cache.js';
import type { FundingHistoryReader } from './funding-history.js';

/** Payment, payer and attempt of a charge, as its key names them. */
export interface ChargeKeyParts {
  readonly paymentId: string;
  readonly walletId: string;
  readonly attempt: number;
}

/** `<payment>:<user>:<attempt>`; every other key of a charge is the id of a deposit. */
const PAYMENT_CHARGE = /^([1-9]\d{0,18}):([1-9]\d{0,18}):([1-9]\d{0,8})$/;
const LARGEST_ID = 9_223_372_036_854_775_807n;

/** Returns null for every other key, which is that of a deposit. */
export function partsOfChargeKey(key: string): ChargeKeyParts | null {
  const [, paymentId, walletId, attempt] = PAYMENT_CHARGE.exec(key) ?? [];
  return paymentId === undefined || walletId === undefined ? null : { paymentId, walletId, attempt: Number(attempt) };
}

/** A charge that the log knows, with its wallet read to the end. */
export interface StoredCharge {
  readonly owner: ChargeOwner;
  readonly charge: ChargeState | undefined;
  /** Whether our "no" is stored. */
  readonly isRefused: boolean;
  /** Whether it is from before there was a provider, and answered: nothing can follow from it. */
  readonly isSettledBefore: boolean;
  readonly wallet: StoredWallet;
}

/** Finds what a charge of the provider is for, by its key, in streams that are read to their ends. */
export class ChargeReader {
  constructor(
    private readonly payments: Pick<PaymentHistoryReader, 'readPayment'>,
    private readonly histories: FundingHistoryReader,
  ) {}

  /** Returns null if the log knows no such charge. Errors: the store's and the database's. */
  find(chargeKey: string): Promise<StoredCharge | null> {
    const parts = partsOfChargeKey(chargeKey);
    if (parts === null) return this.#ofDeposit(chargeKey);
    const { paymentId, walletId } = parts;
    if (BigInt(paymentId) > LARGEST_ID || BigInt(walletId) > LARGEST_ID) return Promise.resolve(null);
    return this.#ofPayment(chargeKey, parts);
  }

  async #ofPayment(chargeKey: string, { paymentId, walletId, attempt }: ChargeKeyParts): Promise<StoredCharge | null> {
    const { payment } = await this.payments.readPayment(paymentId);
    if (payment.status === 'none') return null;
    let sourceId: string | null = null;
    let ofPayment = NO_STEPS;
    const part = { walletId, paymentId, fundingId: null };
    const { wallet } = await this.histories.readWallet(part, (fact: WalletEvent | StepFact) => {
      ofPayment = evolveSteps(ofPayment, fact);
      if (fact.type === 'FundingRequested' && fact.data.attempt === attempt) ({ sourceId } = fact.data);
      return true;
    });
    if (sourceId === null) return null;
    const totalCents = totalCentsOf(payment.facts);
    // Only the payment's steps know which charge a return of its debit answers: a refused repayment leaves the money in the wallet.
    const charge = ofPayment.charges.get(chargeKey);
    return {
      owner: { walletId, paymentId, fundingId: null, chargeKey, attempt, sourceId, totalCents },
      charge,
      isRefused: charge?.isRefused ?? false,
      isSettledBefore: charge === undefined && !(ofPayment.isAwaitingSource && ofPayment.attempt === attempt),
      wallet,
    };
  }

  async #ofDeposit(id: string): Promise<StoredCharge | null> {
    const { funding, wallet } = await this.histories.read({ kind: 'deposit', id });
    if (funding.kind !== 'deposit' || wallet === null) return null;
    const { state, steps } = funding;
    if (state.status === 'none' || state.status === 'accepted' || state.facts.booking !== null) return null;
    const { userId: walletId, sourceId, amountCents: totalCents } = state.facts;
    return {
      owner: { walletId, paymentId: null, fundingId: id, chargeKey: id, attempt: 1, sourceId, totalCents },
      charge: steps.charges.get(id),
      isRefused: state.status === 'failed',
      isSettledBefore: false,
      wallet,
    };
  }
}
