import { LIMITS } from '@settle/config';
import type { StoredEvent } from '@settle/event-store';
import type { ExistingPayment, PaymentCreated, PaymentFacts } from '@settle/payments-domain';
import { LRUCache } from 'lru-cache';
import type { Pool } from 'pg';
import { isOfPayment, paymentIdOf, readPaymentEvent } from '../storage/streams.js';
import type { DataKey, DataKeys } from './data-keys.js';
import { isSealed, openText, sealText, type TextKind } from './sealed-text.js';

const { dataKeyKeptMs: ttl, plainTextsKept: max } = LIMITS.payments;

/** The text that is shown once the key is destroyed. */
const ERASED = '';

const ERASED_ADDRESSES = {
  name: 'erased-addresses',
  text: 'select payment_id as "paymentId" from erased_addresses where payment_id = any($1)',
};

type Texts = Pick<PaymentFacts, 'note' | 'target' | 'actorId'>;

/** An encrypted text in the clear, and what it was encrypted with. */
interface PlainText {
  readonly text: string;
  readonly kind: TextKind;
  readonly key: Buffer;
}

/**
 * The notes and addresses of payments: encrypted with the key of the payment's actor in events, and empty once that key is
 * destroyed. Errors: the database's; `SettingsError` if the wrapping key of a data key is missing.
 */
export class PaymentTexts {
  /** By encrypted text. A new payment is shown twice at once: in its response and in the read models. */
  readonly #plainTexts = new LRUCache<string, PlainText>({ max, ttl });

  /**
   * @param keys null: nothing is encrypted
   * @param pool sees the live tables
   */
  constructor(
    private readonly keys: DataKeys | null,
    private readonly pool: Pool,
  ) {}

  /** Encrypts the texts of a payment that is to be created. Error: `account_frozen` if the actor's account is closed. */
  async seal(created: PaymentCreated): Promise<PaymentCreated> {
    if (this.keys === null || !(await this.keys.hasBegun())) return created;
    const { note, target, actorId } = created.data;
    if (note === '' && target.address === null) return created;
    const key = await this.keys.getOrCreate(actorId);
    const address = target.address === null ? null : this.#seal({ text: target.address, kind: 'address', key });
    const sealedNote = note === '' ? note : this.#seal({ text: note, kind: 'note', key });
    const texts = { note: sealedNote, target: { ...target, address } };
    return { ...created, data: { ...created.data, ...texts } };
  }

  /** Decrypts the texts of a payment. */
  async open<Payment extends ExistingPayment>(paymentId: string, payment: Payment): Promise<Payment> {
    if (this.keys === null) return payment;
    const { facts } = payment;
    const keys = await this.keys.find([facts.actorId]);
    const erased = await this.#erasedAmong(facts.target.address === null ? [] : [paymentId]);
    return { ...payment, facts: this.#openTexts(facts, keyIn(keys, facts), erased.has(paymentId)) };
  }

  /** Decrypts the texts in events of one environment, whose streams have no prefix. Those of other streams stay as they are. */
  async openEvents(events: readonly StoredEvent[]): Promise<readonly StoredEvent[]> {
    if (this.keys === null) return events;
    const created = new Map<StoredEvent, PaymentFacts>();
    for (const stored of events) {
      if (!isOfPayment(stored)) continue;
      const event = readPaymentEvent(stored);
      if (event.type === 'PaymentCreated') created.set(stored, event.data);
    }
    if (created.size === 0) return events;
    const keys = await this.keys.find([...created.values()].map(({ actorId }) => actorId));
    const addressed = [...created].filter(([, { target }]) => target.address !== null);
    const erased = await this.#erasedAmong(addressed.map(([{ stream }]) => paymentIdOf(stream)));
    return events.map((stored) => {
      const facts = created.get(stored);
      if (facts === undefined) return stored;
      return { ...stored, data: this.#openTexts(facts, keyIn(keys, facts), erased.has(paymentIdOf(stored.stream))) };
    });
  }

  #seal(plain: PlainText): string {
    const sealed = sealText(plain.text, plain.kind, plain.key);
    this.#plainTexts.set(sealed, plain);
    return sealed;
  }

  #openTexts<Facts extends Texts>(facts: Facts, key: DataKey, isAddressErased: boolean): Facts {
    const { note, target } = facts;
    const shown = isAddressErased ? ERASED : this.#shownText(target.address ?? ERASED, 'address', key);
    const address = target.address === null ? null : shown;
    return { ...facts, note: this.#shownText(note, 'note', key), target: { ...target, address } };
  }

  /** Texts from before encryption began are erased as well. A text that cannot be decrypted must not stop what shows it. */
  #shownText(text: string, kind: TextKind, key: DataKey): string {
    if (key === 'destroyed') return ERASED;
    if (!isSealed(text)) return text;
    if (key === 'none') return ERASED;
    const known = this.#plainTexts.get(text);
    if (known?.key === key && known.kind === kind) return known.text;
    const opened = openText(text, kind, key);
    if (opened !== null) this.#plainTexts.set(text, { text: opened, kind, key });
    return opened ?? ERASED;
  }

  /** Returns the payments of these whose address was that of a user whose account is closed. */
  async #erasedAmong(paymentIds: readonly string[]): Promise<ReadonlySet<string>> {
    if (paymentIds.length === 0) return new Set();
    const { rows } = await this.pool.query<{ paymentId: string }>({ ...ERASED_ADDRESSES, values: [paymentIds] });
    return new Set(rows.map(({ paymentId }) => paymentId));
  }
}

function keyIn(keys: ReadonlyMap<string, DataKey>, { actorId }: Texts): DataKey {
  return keys.get(actorId) ?? 'none';
}
