import type { PublicLedgerEntry, UserRecord } from '@settle/contracts';
import { START, type StoredEvent } from '@settle/event-store';
import { schemaErrorsOf } from '@settle/testing';
import { LEDGER_ENTRIES } from '../../src/public-events/published-topics.js';
import { NO_HOLD } from '../ledger-lab/open-charges.fixture.js';
import type { LabInstance } from '../ledger-lab/ledger-lab.fixture.js';
import { anEmail } from '../ledger-lab/people.fixture.js';
import { ChangesLab } from './changes-lab.fixture.js';

const JOURNAL = `
  select debit_account, credit_account, amount_cents::int from ledger_entries where amount_cents > 0
  union all select debit_account, credit_account, amount_cents::int from fee_entries
  union all select debit_account, credit_account, amount_cents::int from payout_entries
  order by 1, 2, 3`;
const STORED = `
  select id, stream, revision, type, data::jsonb as data, position::int
  from events where position > $1 and stream ^@ any ($2) order by position`;

describe('entries of the journal', () => {
  let lab: ChangesLab;
  let instance: LabInstance;
  let payer: UserRecord;
  let payee: UserRecord;

  beforeAll(async () => {
    lab = await ChangesLab.open();
    instance = await lab.funding.instance({ env: { ...NO_HOLD, FEE_BPS: '200' } });
    ({ payer, payee } = await lab.funding.people());
  });
  afterAll(() => lab.close());

  async function storedEvents(): Promise<readonly StoredEvent[]> {
    const values = [START, LEDGER_ENTRIES.streamPrefixes];
    return (await lab.funding.lab.pool.query<StoredEvent>(STORED, values)).rows;
  }

  /** The entries of events that are published in batches of this size, by position. */
  async function entriesOf(events: readonly StoredEvent[], batchSize: number): Promise<PublicLedgerEntry[]> {
    const entries: PublicLedgerEntry[] = [];
    for (let first = 0; first < events.length; first += batchSize) {
      const batch = events.slice(first, first + batchSize);
      const records = (await LEDGER_ENTRIES.buildRecords(instance.store, batch, 1)).flat();
      entries.push(...records.map(({ payload }) => payload as PublicLedgerEntry));
    }
    return entries.toSorted((one, other) => one.position - other.position);
  }

  function balanceIn(entries: readonly PublicLedgerEntry[], { card }: UserRecord): number {
    const wallet = `wallet:${card.id}`;
    const signed = entries.map(({ debitAccount, creditAccount, amountCents }) => {
      return (creditAccount === wallet ? amountCents : 0) - (debitAccount === wallet ? amountCents : 0);
    });
    return signed.reduce((sum, cents) => sum + cents, 0);
  }

  it('given every kind of movement, when they are built in batches of any size, then they are the lines of the journal and add up to the balances', async () => {
    await lab.deposit(instance, payer, 'd1', 5_000);
    await instance.create(payer, payee, { amountCents: 1_000 });
    const held = await instance.create(payer, anEmail(), { amountCents: 300 });
    await instance.act(payer, 'cancel', held.payment.id);
    await lab.withdraw(instance, payee, 'w1', 400);
    lab.books.nextPayout = 'returned';
    await lab.withdraw(instance, payee, 'w2', 100);
    lab.books.nextPayout = 'failed';
    await lab.withdraw(instance, payee, 'w3', 100);
    lab.books.nextCharge = 'declined';
    await lab.deposit(instance, payer, 'd2', 700);
    lab.books.set('charge', 'd2', 'approved');
    await lab.read(instance);
    lab.books.add('reversal', 'v1', { state: 'open', amountCents: 250, chargeKey: 'd1' });
    await lab.read(instance);
    lab.books.set('reversal', 'v1', 'won');
    await lab.read(instance);

    const events = await storedEvents();
    const entries = await entriesOf(events, events.length);
    expect(await entriesOf(events, 1)).toEqual(entries);
    expect(await entriesOf(events, 3)).toEqual(entries);
    for (const entry of entries) expect(schemaErrorsOf(entry)).toEqual([]);
    expect(new Set(entries.map(({ eventId }) => eventId)).size).toBe(entries.length);
    const lines = entries.map(({ debitAccount, creditAccount, amountCents }) => ({
      debit_account: debitAccount,
      credit_account: creditAccount,
      amount_cents: amountCents,
    }));
    const { rows } = await lab.funding.lab.pool.query(JOURNAL);
    expect(lines).toHaveLength(rows.length);
    expect(lines).toEqual(expect.arrayContaining(rows));
    expect([balanceIn(entries, payer), balanceIn(entries, payee)]).toEqual([
      await lab.balance(instance, payer),
      await lab.balance(instance, payee),
    ]);
    expect(new Set(entries.map(({ movement }) => movement))).toEqual(
      new Set([
        ...['deposit', 'repayment', 'payment_debit', 'payment_credit', 'payment_return', 'fee'],
        ...['withdrawal', 'withdrawal_return', 'payout', 'reversal', 'reversal_return'],
      ]),
    );
  });

  it('given a payment that a charge funds, when its entries are built, then the charge names the payment', async () => {
    const { payer: poor, payee: other } = await lab.funding.people();
    lab.books.nextCharge = 'approved';
    const { payment } = await instance.create(poor, other);
    const entries = await entriesOf(await storedEvents(), 100);
    const own = entries.filter(({ paymentId }) => paymentId === payment.id);
    expect(own.map(({ movement }) => movement)).toEqual(
      expect.arrayContaining(['funding_charge', 'payment_debit', 'payment_credit']),
    );
    for (const { debitAccount, creditAccount } of own) expect(debitAccount).not.toBe(creditAccount);
  });
});
