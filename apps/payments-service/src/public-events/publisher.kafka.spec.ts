import { TOPICS, type PublicPaymentEvent, type UserRecord } from '@settle/contracts';
import { readWholeTopic, type ReadRecord } from '@settle/messaging';
import { createLogger } from '@settle/observability';
import { schemaErrorsOf, eventually, startPostgresForSpecs, stopPostgresOfSpecs } from '@settle/testing';
import kafkajs from 'kafkajs';
import { LedgerLab, type LabInstance } from '../../test/ledger-lab/ledger-lab.fixture.js';
import { anEmail, person } from '../../test/ledger-lab/people.fixture.js';
import { raisePublicEventEpoch } from './public-event-epoch.js';
import { startDocumentedConsumer } from '../../test/public-events/payments-process.fixture.js';
import { PublicTopics, type PlainRecord } from '../../test/public-events/public-topics.fixture.js';

const SECRET = 'not for the world';
const PUBLISHES = 'this instance publishes public events';
/** The lease ends after 1.5 s; the rest is for a busy machine. */
const TAKEOVER_MS = 15_000;
const LONGEST_WAIT_MS = 30_000;
const topics = new PublicTopics();
const topic = topics.prefix + TOPICS.paymentsEvents;

let lab: LedgerLab;

beforeAll(async () => {
  await startPostgresForSpecs();
  lab = await LedgerLab.open();
});
afterAll(async () => {
  await topics.close();
  await lab.close();
  await stopPostgresOfSpecs();
});

async function anyRecord(): Promise<ReadRecord> {
  const records: ReadRecord[] = [];
  const logger = createLogger({ level: 'silent', service: 'spec' });
  const address = { brokers: topics.brokers.split(',') };
  const place = { address, topicPrefix: topics.prefix, topic: TOPICS.paymentsEvents, logger, sessionTimeoutMs: 2_000 };
  const take = (record: ReadRecord) => void records.push(record);
  await readWholeTopic({ ...place, silenceMs: LONGEST_WAIT_MS, onCount: () => undefined, take });
  return records[0]!;
}

async function plant(record: ReadRecord): Promise<void> {
  const kafka = new kafkajs.Kafka({ brokers: topics.brokers.split(','), logLevel: kafkajs.logLevel.NOTHING });
  const producer = kafka.producer();
  await producer.connect();
  await producer.send({ topic, messages: [{ ...record, headers: { ...record.headers } }] });
  await producer.disconnect();
}

/** Some of every kind of payment. */
async function makePayments(instance: LabInstance, people: readonly UserRecord[], rounds: number): Promise<void> {
  const [ann, bob, poor] = people as [UserRecord, UserRecord, UserRecord];
  const note = { note: SECRET };
  for (let round = 0; round < rounds; round += 1) {
    const held = await instance.create(ann, anEmail(), note);
    const charges = [1, 2].map(() => instance.create(bob, ann, { ...note, action: 'charge' }));
    const [approved, denied] = await Promise.all(charges);
    await Promise.all([
      instance.create(ann, bob, note),
      instance.create(poor, bob, note),
      instance.create(ann, anEmail(), note),
      instance.act(ann, 'cancel', held.payment.id),
      instance.act(ann, 'approve', approved!.payment.id),
      instance.act(ann, 'deny', denied!.payment.id),
    ]);
  }
}

/** The ids of each payment's events in order, as its stream has them. */
async function streams(): Promise<Record<string, string[]>> {
  const { rows } = await lab.pool.query<{ id: string; stream: string }>(
    `select id, stream from events where stream like 'payment-%' order by position`,
  );
  return idsByPayment(rows.map(({ id, stream }) => [stream.slice('payment-'.length), id]));
}

function idsByPayment(pairs: readonly (readonly [paymentId: string, eventId: string])[]): Record<string, string[]> {
  const byPayment: Record<string, string[]> = {};
  for (const [paymentId, eventId] of pairs) (byPayment[paymentId] ??= []).push(eventId);
  return byPayment;
}

function told(records: readonly PlainRecord[]): Record<string, string[]> {
  const seen = new Set<string>();
  const events = records.map(({ value }) => JSON.parse(value) as PublicPaymentEvent);
  const firstOnes = events.filter(({ eventId }) => !seen.has(eventId) && seen.add(eventId));
  return idsByPayment(firstOnes.map(({ eventId, paymentId }) => [paymentId, eventId]));
}

describe('payment events on Kafka', () => {
  it('given payments, when the publishing process is killed meanwhile, then an external consumer reads exactly the streams', async () => {
    const first = await topics.publish(lab.url);
    await first.says(PUBLISHES);
    const second = await topics.publish(lab.url);
    const instance = await lab.instance();
    const people = [person(), person(), person()];
    await lab.know(...people);
    await instance.fund(people[0]!, 1_000_000);
    const records: PlainRecord[] = [];
    await topics.consume([TOPICS.paymentsEvents], (record) => void records.push(record));

    const making = makePayments(instance, people, 40);
    await eventually(() => expect(records.length).toBeGreaterThan(100), { timeoutMs: LONGEST_WAIT_MS });
    await first.kill();
    const killedAtMs = performance.now();
    await second.says(PUBLISHES);
    expect(performance.now() - killedAtMs).toBeLessThan(TAKEOVER_MS);
    await making;

    const expected = await streams();
    expect(Object.keys(expected).length).toBeGreaterThanOrEqual(6 * 40);
    await eventually(() => expect(told(records)).toEqual(expected), { timeoutMs: LONGEST_WAIT_MS });
    for (const { key, value, headers, timestamp } of records) {
      const event = JSON.parse(value) as PublicPaymentEvent;
      expect(Number(timestamp)).toBe(Date.parse(event.occurredAt));
      expect(schemaErrorsOf(event)).toEqual([]);
      expect(value).not.toMatch(/not for the world|@example/);
      expect(key).toBe(event.paymentId);
      expect(headers).toMatchObject({
        'event-id': event.eventId,
        type: event.type,
        revision: String(event.revision),
        epoch: '1',
        'schema-version': '1',
        time: event.occurredAt,
        'content-type': 'application/json',
        traceparent: expect.stringMatching(/^00-[0-9a-f]{32}-[0-9a-f]{16}-00$/) as string,
      });
    }
  });

  it('given the topic, when the documented consumer reads it, then it prints each event once, in order', async () => {
    const expected = await streams();
    const count = Object.values(expected).flat().length;
    expect(count).toBeGreaterThan(0);
    const consumer = startDocumentedConsumer({ KAFKA_BROKERS: topics.brokers, KAFKA_TOPIC_PREFIX: topics.prefix });
    topics.processes.push(consumer);
    const printed = () => consumer.printed.map((line) => JSON.parse(line) as PublicPaymentEvent);
    await eventually(() => expect(printed().length).toBeGreaterThanOrEqual(count), { timeoutMs: LONGEST_WAIT_MS });
    expect(idsByPayment(printed().map(({ paymentId, eventId }) => [paymentId, eventId]))).toEqual(expected);
  });

  it('given a topic ahead of the ledger, when the epoch is raised, then the documented consumer begins again and reads exactly the ledger', async () => {
    const expected = await streams();
    const count = Object.values(expected).flat().length;
    await topics.killProcesses();
    // Payments that a restore removed from the ledger and that are still on the topic.
    const lost = await anyRecord();
    const value = JSON.stringify({ ...(JSON.parse(lost.value) as PublicPaymentEvent), eventId: 'lost', revision: 7 });
    await plant({
      ...lost,
      headers: { ...lost.headers, 'event-id': 'lost', revision: '7', position: '1000000' },
      value,
    });
    const env = { KAFKA_BROKERS: topics.brokers, KAFKA_TOPIC_PREFIX: topics.prefix, KAFKA_GROUP: 'restored' };
    const consumer = startDocumentedConsumer(env);
    topics.processes.push(consumer);
    await consumer.says('"lost"');

    const instance = await topics.publish(lab.url);
    await instance.says('holds an event that the ledger does not have');
    await raisePublicEventEpoch(lab.pool);
    await consumer.says('{"epoch":2}');
    const printed = () => {
      const lines = consumer.printed.slice(consumer.printed.indexOf('{"epoch":2}') + 1);
      return lines.map((line) => JSON.parse(line) as PublicPaymentEvent).filter(({ eventId }) => eventId !== undefined);
    };
    await eventually(() => expect(printed().length).toBeGreaterThanOrEqual(count), { timeoutMs: LONGEST_WAIT_MS });
    expect(idsByPayment(printed().map(({ paymentId, eventId }) => [paymentId, eventId]))).toEqual(expected);
  });
});
