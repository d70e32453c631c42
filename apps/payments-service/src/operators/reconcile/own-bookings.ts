import type { WalletEvent, WithdrawalEvent } from '@settle/payments-domain';
import type { LedgerEvent } from '../../storage/streams.js';
import type { BookingKind, StatementHead } from './statement.js';

/** A statement of our events about a key at a time: the newest one counts. */
export interface OwnFact {
  readonly kind: BookingKind;
  /** Key of the provider's object, by which it is matched; of a reversal the provider's id. */
  readonly match: string;
  /** Key as the statement names it. */
  readonly key: string;
  /** `requested`: the provider's answer is not stored. `refused`: no money moved. */
  readonly state: 'requested' | 'booked' | 'refused';
  /** Null if the event does not say it. */
  readonly cents: number | null;
  readonly atUs: number;
  /** The payment, deposit or withdrawal, in words. */
  readonly owner: string;
}

/** Money in and out within the period that no provider knows, in cents. */
export interface OutsideSums {
  bankInCents: number;
  bankOutCents: number;
  demoInCents: number;
  demoOutCents: number;
}

type DataOf<Type extends WalletEvent['type']> = Extract<WalletEvent, { type: Type }>['data'];

interface OpenRepayment {
  readonly key: string;
  readonly paymentId: string | null;
  readonly owner: string;
}

/**
 * Reads the ledger's events in order and returns what they say about the provider's bookings. Keeps the amounts of open
 * withdrawals and the keys of open repayments, which are few, because later events do not repeat them.
 */
export class OwnBookings {
  readonly outside: OutsideSums = { bankInCents: 0, bankOutCents: 0, demoInCents: 0, demoOutCents: 0 };
  /** Amount of each withdrawal that has not ended; null for a bank transfer. */
  readonly #withdrawals = new Map<string, number | null>();
  /** By wallet and charge. */
  readonly #repayments = new Map<string, OpenRepayment>();

  constructor(private readonly period: Pick<StatementHead, 'fromUs' | 'toUs'>) {}

  take(event: LedgerEvent): readonly OwnFact[] {
    if (event.kind === 'wallet') return this.#wallet(event.walletId, event.event);
    if (event.kind === 'withdrawal') return this.#withdrawal(event.id, event.event);
    if (event.kind !== 'deposit') return [];
    const { type, data } = event.event;
    const fact = { kind: 'charge', match: event.id, key: event.id, owner: `deposit ${event.id}` } as const;
    if (type === 'DepositRequested' && data.booking === null) {
      return [{ ...fact, state: 'requested', cents: data.amountCents, atUs: data.atUs }];
    }
    return type === 'DepositFailed' ? [{ ...fact, state: 'refused', cents: null, atUs: data.atUs }] : [];
  }

  #withdrawal(id: string, { type, data }: WithdrawalEvent): readonly OwnFact[] {
    if (type === 'WithdrawalRequested') this.#withdrawals.set(id, data.booking === null ? data.amountCents : null);
    const cents = this.#withdrawals.get(id) ?? null;
    const fact = { kind: 'payout', match: id, key: id, cents, atUs: data.atUs, owner: `withdrawal ${id}` } as const;
    switch (type) {
      case 'PayoutRequested':
        return [{ ...fact, state: 'requested' }];
      case 'WithdrawalPaid':
      case 'WithdrawalFailed':
      case 'WithdrawalCancelled':
        this.#withdrawals.delete(id);
        if (cents === null) return [];
        return [{ ...fact, state: type === 'WithdrawalPaid' ? 'booked' : 'refused' }];
      default:
        return [];
    }
  }

  #wallet(walletId: string, event: WalletEvent): readonly OwnFact[] {
    const { type, data } = event;
    const origin = { atUs: data.atUs, owner: ownerOf(data) };
    switch (type) {
      case 'FundingRequested':
        return data.chargeKey === undefined ? [] : [chargeOf(data.chargeKey, 'requested', data.amountCents, origin)];
      case 'DebitRefused':
      case 'FundingDeclined':
        return data.chargeKey === undefined ? [] : [chargeOf(data.chargeKey, 'refused', null, origin)];
      case 'FundsAdded':
        return this.#added(walletId, data);
      case 'RepaymentRequested': {
        const missing = this.#closeRepayment(walletId, data.chargeKey, data.atUs);
        const { key, paymentId } = data;
        this.#repayments.set(`${walletId}/${data.chargeKey}`, { key, paymentId, owner: origin.owner });
        return [...missing, repaymentOf(key, 'requested', null, origin)];
      }
      case 'FundsReturned':
        // If the provider has accepted the repayment, FundsWithdrawn follows and counts.
        return this.#closeRepaymentsOf(walletId, data.paymentId, data.atUs);
      case 'FundsWithdrawn':
        return this.#withdrawn(walletId, data);
      case 'WithdrawalReversed':
        return this.#takenBack(data);
      case 'FundsReversed':
      case 'ReversalReturned': {
        const { reversalId: match, chargeKey: key, amountCents: cents } = data;
        const kind = type === 'FundsReversed' ? 'reversal' : 'reversal_won';
        return [{ kind, match, key, state: 'booked', cents, ...origin }];
      }
      default:
        return [];
    }
  }

  #added(walletId: string, data: DataOf<'FundsAdded'>): readonly OwnFact[] {
    const { chargeKey, amountCents, fundingId = null, atUs } = data;
    if (chargeKey === undefined) {
      this.#addOutside(isBank(fundingId) ? 'bankInCents' : 'demoInCents', amountCents, atUs);
      return [];
    }
    const added = chargeOf(chargeKey, 'booked', amountCents, { atUs, owner: ownerOf(data) });
    return data.isLate === true ? [added, ...this.#closeRepayment(walletId, chargeKey, atUs)] : [added];
  }

  #withdrawn(walletId: string, data: DataOf<'FundsWithdrawn'>): readonly OwnFact[] {
    const { repaymentKey, chargeKey, amountCents, fundingId = null, atUs } = data;
    if (repaymentKey !== undefined) {
      this.#repayments.delete(`${walletId}/${chargeKey}`);
      return [repaymentOf(repaymentKey, 'booked', amountCents, { atUs, owner: ownerOf(data) })];
    }
    if (fundingId === null) this.#addOutside('demoOutCents', amountCents, atUs);
    else if (isBank(fundingId)) this.#addOutside('bankOutCents', amountCents, atUs);
    return [];
  }

  #takenBack(data: DataOf<'WithdrawalReversed'>): readonly OwnFact[] {
    const { amountCents: cents, atUs } = data;
    const key = data.repaymentKey ?? data.fundingId ?? '';
    if (data.wasPaid) {
      return [{ kind: 'payout_return', match: key, key, state: 'booked', cents, atUs, owner: ownerOf(data) }];
    }
    // A bank transfer that was refused before it counted as paid.
    if (isBank(key)) this.#addOutside('bankOutCents', -cents, atUs);
    return [];
  }

  #closeRepaymentsOf(walletId: string, paymentId: string, atUs: number): readonly OwnFact[] {
    // The keys of a payment's charges begin with its id; few repayments are open at once.
    const open = [...this.#repayments].filter(
      ([at, each]) => at.startsWith(`${walletId}/`) && each.paymentId === paymentId,
    );
    return open.flatMap(([at]) => this.#closeRepayment(walletId, at.slice(walletId.length + 1), atUs));
  }

  /** The repayment that waited for an answer was refused, or never began. */
  #closeRepayment(walletId: string, chargeKey: string, atUs: number): readonly OwnFact[] {
    const at = `${walletId}/${chargeKey}`;
    const open = this.#repayments.get(at);
    if (open === undefined) return [];
    this.#repayments.delete(at);
    return [repaymentOf(open.key, 'refused', null, { atUs, owner: open.owner })];
  }

  #addOutside(sum: keyof OutsideSums, cents: number, atUs: number): void {
    if (atUs >= this.period.fromUs && atUs < this.period.toUs) this.outside[sum] += cents;
  }
}

type Origin = Pick<OwnFact, 'atUs' | 'owner'>;

function chargeOf(key: string, state: OwnFact['state'], cents: number | null, origin: Origin): OwnFact {
  return { kind: 'charge', match: key, key, state, cents, ...origin };
}

function repaymentOf(key: string, state: OwnFact['state'], cents: number | null, origin: Origin): OwnFact {
  return { kind: 'repayment', match: key, key, state, cents, ...origin };
}

function isBank(fundingId: string | null): boolean {
  return fundingId?.startsWith('bank-') === true;
}

function ownerOf(data: WalletEvent['data']): string {
  if (data.paymentId !== null) return `payment ${data.paymentId}`;
  const fundingId = 'fundingId' in data ? (data.fundingId ?? null) : null;
  return fundingId === null ? '' : `deposit or withdrawal ${fundingId}`;
}
