import { TOPICS, type PublicLedgerEntry, type PublicPaymentEvent } from '@settle/contracts';

/** A record of a public topic, as a consumer receives it. */
export interface PublicRecord {
  readonly topic: string;
  readonly epoch: number;
  readonly value: string;
}

/** Recognizes records that come again, and the end of an epoch, by the rules of `docs/events/README.md`. */
class RecordFilter {
  readonly #seen = new Set<string>();
  #epoch = 1;

  /** @param forget drops everything that was made of the records so far */
  constructor(private readonly forget: () => void) {}

  /** The highest epoch of a record. */
  get epoch(): number {
    return this.#epoch;
  }

  /** Returns whether the record counts. */
  accept(epoch: number, eventId: string): boolean {
    if (epoch < this.#epoch) return false;
    if (epoch > this.#epoch) {
      this.#epoch = epoch;
      this.#seen.clear();
      this.forget();
    }
    const isNew = !this.#seen.has(eventId);
    this.#seen.add(eventId);
    return isNew;
  }
}

/** The tables that two consumers compare: rows in the order of their keys. */
export interface BookTables {
  readonly accounts: readonly (readonly [account: string, cents: number])[];
  readonly payments: readonly (readonly [paymentId: string, newestType: string])[];
}

const inOrder = <Value>(rows: ReadonlyMap<string, Value>) =>
  [...rows].sort(([one], [other]) => (one < other ? -1 : Number(one > other)));

/** The books that a consumer keeps, computed from the public topics alone. */
export class PublicBooks {
  readonly #accounts = new Map<string, number>();
  readonly #payments = new Map<string, string>();
  readonly #movements = new Set<string>();
  readonly #filters = {
    [TOPICS.ledgerEntries]: new RecordFilter(() => this.#accounts.clear()),
    [TOPICS.paymentsEvents]: new RecordFilter(() => this.#payments.clear()),
  };

  /** Returns whether the record counts: it is neither a repetition nor of an earlier epoch. */
  take({ topic, epoch, value }: PublicRecord): boolean {
    if (topic === TOPICS.ledgerEntries) {
      const entry = JSON.parse(value) as PublicLedgerEntry;
      if (!this.#filters[topic].accept(epoch, entry.eventId)) return false;
      this.#post(entry);
      return true;
    }
    if (topic !== TOPICS.paymentsEvents) throw new Error(`${topic} is not a public topic`);
    const event = JSON.parse(value) as PublicPaymentEvent;
    if (!this.#filters[topic].accept(epoch, event.eventId)) return false;
    this.#payments.set(event.paymentId, event.type);
    return true;
  }

  #post({ debitAccount, creditAccount, amountCents, movement }: PublicLedgerEntry): void {
    this.#movements.add(movement);
    this.#accounts.set(debitAccount, this.balanceCents(debitAccount) - amountCents);
    this.#accounts.set(creditAccount, this.balanceCents(creditAccount) + amountCents);
  }

  /** The highest epoch of the records of both topics. */
  get epoch(): number {
    return Math.min(...Object.values(this.#filters).map(({ epoch }) => epoch));
  }

  /** Kinds of movements that any epoch had, in order. */
  get movements(): readonly string[] {
    return [...this.#movements].sort();
  }

  /** Returns the balance of an account, such as `wallet:<user>`, in cents. */
  balanceCents(account: string): number {
    return this.#accounts.get(account) ?? 0;
  }

  /** Returns the users who have a wallet. */
  walletOwners(): readonly string[] {
    return [...this.#accounts.keys()].filter((name) => name.startsWith('wallet:')).map((name) => name.slice(7));
  }

  /** The sum of all accounts, in cents. */
  get trialBalanceCents(): number {
    return [...this.#accounts.values()].reduce((sum, cents) => sum + cents, 0);
  }

  /** Returns the payments that have ended and whose money is still on its way. */
  unfinishedPayments(): readonly string[] {
    const ended = [...this.#payments].filter(([, type]) => type !== 'PaymentCreated');
    return ended.map(([id]) => id).filter((id) => this.balanceCents(`transit:${id}`) !== 0);
  }

  tables(): BookTables {
    return { accounts: inOrder(this.#accounts), payments: inOrder(this.#payments) };
  }
}
