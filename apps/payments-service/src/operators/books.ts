import { NO_STREAM } from '@settle/event-store';
import type { JournalEntry } from '@settle/payments-domain';
import type { WalletLine } from '../read-models/ledger/batch-fold.js';

const TRANSIT = 'transit:';
const FUNDING = 'funding:';
const PAYOUTS = 'payouts:';

interface Wallet {
  revision: number;
  balanceCents: number;
  /** Whether a charge was taken back: only then the balance may be below zero. */
  isReversed: boolean;
}

/** Sums of the journal so far, in cents. */
export interface Sums {
  /** Number of wallets. */
  readonly wallets: number;
  readonly walletCents: number;
  readonly transitCents: number;
  /** Money of withdrawals that is not paid out yet. */
  readonly payoutCents: number;
  readonly feeCents: number;
  /** Money from funding sources less money returned to them. */
  readonly fundingCents: number;
}

/** Sums up the journal, line by line. */
export class Books {
  readonly #wallets = new Map<string, Wallet>();
  /** Cents in transit by payment. */
  readonly #transit = new Map<string, number>();
  /** Cents of withdrawals that are not paid out, by withdrawal. */
  readonly #payouts = new Map<string, number>();
  #feeCents = 0;
  #fundingCents = 0;

  sums(): Sums {
    const walletCents = [...this.#wallets.values()].reduce((sum, { balanceCents }) => sum + balanceCents, 0);
    const { size: wallets } = this.#wallets;
    const [transitCents, payoutCents] = [sumOf(this.#transit), sumOf(this.#payouts)];
    return {
      wallets,
      walletCents,
      transitCents,
      payoutCents,
      feeCents: this.#feeCents,
      fundingCents: this.#fundingCents,
    };
  }

  /** Returns the newest revision that was added; `NO_STREAM` if there is none. */
  revisionOf(walletId: string): number {
    return this.#wallets.get(walletId)?.revision ?? NO_STREAM;
  }

  /** Returns the cents in transit for a payment. */
  transitOf(paymentId: string): number {
    return this.#transit.get(paymentId) ?? 0;
  }

  /** Returns the cents of a withdrawal that are neither paid out nor back in the wallet. */
  payoutOf(withdrawalId: string): number {
    return this.#payouts.get(withdrawalId) ?? 0;
  }

  /** Adds a line. Returns a description of the difference if the event's balance does not follow from the line before, else null. */
  addWalletLine({ walletId, revision, event, entry }: WalletLine): string | null {
    const before = this.#wallets.get(walletId) ?? { revision: NO_STREAM, balanceCents: 0, isReversed: false };
    const { balanceCents } = event.data;
    const moved = entry.creditAccount === entry.debitAccount ? 0 : entry.amountCents;
    const change = entry.creditAccount === `wallet:${walletId}` ? moved : -moved;
    const isNext = revision === before.revision + 1;
    const isReversed = before.isReversed || event.type === 'FundsReversed';
    const isInBounds = balanceCents >= 0 || isReversed;
    const isConsistent = isNext && balanceCents === before.balanceCents + change && isInBounds;
    this.#wallets.set(walletId, { revision, balanceCents, isReversed });
    this.add(entry);
    return isConsistent ? null : `wallet ${walletId}, revision ${revision}: does not follow from the line before it`;
  }

  add({ debitAccount, creditAccount, amountCents }: JournalEntry): void {
    this.#add(debitAccount, -amountCents);
    this.#add(creditAccount, amountCents);
  }

  #add(account: string, cents: number): void {
    if (account === 'fees') this.#feeCents += cents;
    else if (account.startsWith(FUNDING)) this.#fundingCents -= cents;
    else if (account.startsWith(TRANSIT)) addTo(this.#transit, account.slice(TRANSIT.length), cents);
    else if (account.startsWith(PAYOUTS)) addTo(this.#payouts, account.slice(PAYOUTS.length), cents);
  }
}

/** Keeps no account of zero. */
function addTo(accounts: Map<string, number>, id: string, cents: number): void {
  const left = (accounts.get(id) ?? 0) + cents;
  if (left === 0) accounts.delete(id);
  else accounts.set(id, left);
}

function sumOf(accounts: ReadonlyMap<string, number>): number {
  return [...accounts.values()].reduce((sum, cents) => sum + cents, 0);
}
