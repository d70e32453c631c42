import { NO_STREAM } from '@settle/event-store';
import type { JournalEntry } from '@settle/payments-domain';
import type { WalletLine } from '../read-models/ledger/batch-fold.js';

const TRANSIT = 'transit:';
const FUNDING = 'funding:';
const PAYOUTS = 'payouts:';

/** The newest line of a wallet that was added. */
export interface CountedWallet {
  readonly revision: number;
  readonly balanceCents: number;
}

const NO_LINES: CountedWallet = { revision: NO_STREAM, balanceCents: 0 };

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

/** Sums up the journal, line by line. Keeps accounts that are not zero, and no wallets. */
export class Books {
  /** Wallets of which a charge was taken back: only then the balance may be below zero. */
  readonly #reversedWallets = new Set<string>();
  /** Cents in transit by payment. */
  readonly #transit = new Map<string, number>();
  /** Cents of withdrawals that are not paid out, by withdrawal. */
  readonly #payouts = new Map<string, number>();
  #wallets = 0;
  #walletCents = 0;
  #feeCents = 0;
  #fundingCents = 0;

  sums(): Sums {
    const [transitCents, payoutCents] = [sumOf(this.#transit), sumOf(this.#payouts)];
    return {
      wallets: this.#wallets,
      walletCents: this.#walletCents,
      transitCents,
      payoutCents,
      feeCents: this.#feeCents,
      fundingCents: this.#fundingCents,
    };
  }

  /** Returns the cents in transit for a payment. */
  transitOf(paymentId: string): number {
    return this.#transit.get(paymentId) ?? 0;
  }

  /** Returns the withdrawals whose money is neither paid out nor back in the wallet. */
  openPayouts(): string[] {
    return [...this.#payouts.keys()];
  }

  /**
   * Adds a line. Returns a description of the difference if the event's balance does not follow from the line before, else null.
   * @param before newest line of the wallet; absent if it has none
   */
  addWalletLine({ walletId, revision, event, entry }: WalletLine, before = NO_LINES): string | null {
    const { balanceCents } = event.data;
    const moved = entry.creditAccount === entry.debitAccount ? 0 : entry.amountCents;
    const change = entry.creditAccount === `wallet:${walletId}` ? moved : -moved;
    if (event.type === 'FundsReversed') this.#reversedWallets.add(walletId);
    const isInBounds = balanceCents >= 0 || this.#reversedWallets.has(walletId);
    const isNext = revision === before.revision + 1;
    const isConsistent = isNext && balanceCents === before.balanceCents + change && isInBounds;
    if (before.revision === NO_STREAM) this.#wallets += 1;
    this.#walletCents += balanceCents - before.balanceCents;
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
