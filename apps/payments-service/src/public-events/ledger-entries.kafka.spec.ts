import { TOPICS, type PublicLedgerEntry, type UserRecord } from '@settle/contracts';
import { eventually, schemaErrorsOf, startPostgresForSpecs, stopPostgresOfSpecs } from '@settle/testing';
import { LedgerLab, type LabInstance } from '../../test/ledger-lab/ledger-lab.fixture.js';
import { person } from '../../test/ledger-lab/people.fixture.js';
import { makePayments } from '../../test/public-events/make-payments.fixture.js';
import { PublicTopics, type PlainRecord } from '../../test/public-events/public-topics.fixture.js';
import { raisePublicEventEpoch } from './public-event-epoch.js';

const LONGEST_WAIT_MS = 45_000;
const ROUNDS = 10;
/** The SQL of an analyst: each entry once, as a debit and a credit, summed by account. */
const BALANCES = `
  with entries as (
    select distinct on (entry ->> 'eventId') entry from jsonb_array_elements($1::jsonb) as entry),
  lines as (
    select entry ->> 'debitAccount' as account, -(entry ->> 'amountCents')::bigint as cents from entries
    union all
    select entry ->> 'creditAccount', (entry ->> 'amountCents')::bigint from entries)
  select account, sum(cents)::float8 as cents from lines group by account`;

describe('entries of the journal on Kafka', () => {
  let lab: LedgerLab;
  let instance: LabInstance;
  const users: readonly UserRecord[] = [person(), person(), person()];
  const topics = new PublicTopics();
  const records: PlainRecord[] = [];

  beforeAll(async () => {
    await startPostgresForSpecs();
    lab = await LedgerLab.open();
    instance = await lab.instance({ env: { FEE_BPS: '200' } });
    await lab.know(...users);
    // The log of a ledger that was in use before there was the topic.
    await instance.fund(users[0]!, 1_000_000);
    await makePayments(instance, users, ROUNDS);
    await topics.publish(lab.url);
    await topics.consume([TOPICS.ledgerEntries], (record) => void records.push(record));
  });
  afterAll(async () => {
    await topics.close();
    await lab.close();
    await stopPostgresOfSpecs();
  });

  /** Waits until the balances of records are those of the API. */
  async function expectBalances(isOurs: (record: PlainRecord) => boolean = () => true): Promise<void> {
    const check = async () => {
      const entries = records.filter(isOurs).map(({ value }) => JSON.parse(value) as PublicLedgerEntry);
      const { rows } = await lab.pool.query<{ account: string; cents: number }>(BALANCES, [JSON.stringify(entries)]);
      const balances = new Map(rows.map(({ account, cents }) => [account, cents]));
      const ofApi = await Promise.all(users.map((user) => instance.balance(user)));
      expect(users.map(({ card }) => balances.get(`wallet:${card.id}`) ?? 0)).toEqual(ofApi);
      expect(rows.reduce((sum, { cents }) => sum + cents, 0)).toBe(0);
      expect(balances.get('fees')).toBeGreaterThan(0);
      expect(rows.filter(({ account, cents }) => account.startsWith('transit:') && cents !== 0)).toEqual([]);
    };
    await eventually(check, { timeoutMs: LONGEST_WAIT_MS });
  }

  it('given a ledger from before the topic, when it is published, then its balances are those of the API and the trial balance is zero', async () => {
    await expectBalances();
    for (const { key, value, headers } of records) {
      const entry = JSON.parse(value) as PublicLedgerEntry;
      expect(schemaErrorsOf(entry)).toEqual([]);
      expect(key).toMatch(/^(?:wallet|payment):\d+$/);
      expect(headers).toMatchObject({
        'event-id': entry.eventId,
        type: 'LedgerEntryPosted',
        position: String(entry.position),
        revision: String(entry.revision),
        epoch: '1',
        time: entry.occurredAt,
      });
    }
  });

  it('given a publishing process that is killed while money moves, when another one goes on, then the balances agree and each key is in order', async () => {
    const making = makePayments(instance, users, ROUNDS);
    await topics.processes.at(-1)!.kill();
    await topics.publish(lab.url);
    await making;
    const revisions = new Map<string, number>();
    const seen = new Set<string>();
    await expectBalances();
    for (const { key, headers } of records) {
      const [id, revision] = [headers['event-id'] ?? '', Number(headers['revision'])];
      if (seen.has(id)) continue;
      seen.add(id);
      expect(revision).toBeGreaterThan(revisions.get(key) ?? -1);
      revisions.set(key, revision);
    }
  });

  it('given a raised epoch, when the next process publishes, then the topic holds every movement again under that epoch', async () => {
    const idsOf = (epoch: string) =>
      new Set(records.filter(({ headers }) => headers['epoch'] === epoch).map(({ headers }) => headers['event-id']));
    await topics.killProcesses();
    await raisePublicEventEpoch(lab.pool);
    await topics.publish(lab.url);
    await eventually(() => expect(idsOf('2')).toEqual(idsOf('1')), { timeoutMs: LONGEST_WAIT_MS });
    await expectBalances(({ headers }) => headers['epoch'] === '2');
  });
});
