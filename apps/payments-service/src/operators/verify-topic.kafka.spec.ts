import { randomBytes } from 'node:crypto';
import { TOPICS, type PublicPaymentEvent, type UserRecord } from '@settle/contracts';
import { readWholeTopic, type ReadRecord } from '@settle/messaging';
import { createLogger } from '@settle/observability';
import { eventually, startPostgresForSpecs, stopPostgresOfSpecs } from '@settle/testing';
import kafkajs from 'kafkajs';
import type { PoolClient } from 'pg';
import { LedgerLab, type LabInstance } from '../../test/ledger-lab/ledger-lab.fixture.js';
import { anEmail, person } from '../../test/ledger-lab/people.fixture.js';
import { startPaymentsProcess, type SpecProcess } from '../../test/public-events/payments-process.fixture.js';
import { PAYMENT_EVENTS } from '../public-events/published-topics.js';
import { Findings } from './findings.js';
import { verifyTopic } from './verify-topic.js';

const LONGEST_WAIT_MS = 30_000;
const brokers = process.env['SETTLE_TEST_KAFKA'] ?? '';
const topicPrefix = `spec-${randomBytes(6).toString('hex')}.`;
const topic = topicPrefix + TOPICS.paymentsEvents;
const logger = createLogger({ level: 'silent', service: 'spec' });
const kafka = new kafkajs.Kafka({ brokers: brokers.split(','), logLevel: kafkajs.logLevel.NOTHING });

describe('a verification of the topic of payment events', () => {
  let lab: LedgerLab;
  let instance: LabInstance;
  let service: SpecProcess;
  let client: PoolClient;
  const people: UserRecord[] = [person(), person()];

  beforeAll(async () => {
    await startPostgresForSpecs();
    lab = await LedgerLab.open();
    const place = { KAFKA_BROKERS: brokers, KAFKA_TOPIC_PREFIX: topicPrefix, DATABASE_URL: lab.url };
    service = startPaymentsProcess({ ...place, KAFKA_SESSION_TIMEOUT_MS: '2000' });
    await service.says('this instance publishes public events');
    instance = await lab.instance();
    client = await lab.pool.connect();
    await lab.know(...people);
    const [ann, bob] = people as [UserRecord, UserRecord];
    await instance.fund(ann, 1_000_000);
    for (let index = 0; index < 20; index += 1) {
      const held = await instance.create(ann, index % 2 === 0 ? bob : anEmail(), { action: 'pay' });
      if (index % 4 === 1) await instance.act(ann, 'cancel', held.payment.id);
    }
    await eventually(
      async () => {
        const { rows } = await lab.pool.query<{ is_there: boolean }>(
          `select checkpoint_position($1) >= max(position) as is_there from events where stream like 'payment-%'`,
          [TOPICS.paymentsEvents],
        );
        expect(rows[0]?.is_there).toBe(true);
      },
      { timeoutMs: LONGEST_WAIT_MS },
    );
  });
  afterAll(async () => {
    client.release();
    await service.kill();
    await lab.close();
    await stopPostgresOfSpecs();
  });

  function readTopic(onCount: (records: number) => void, take: (record: ReadRecord) => void): Promise<void> {
    const place = { address: { brokers: brokers.split(',') }, topicPrefix, topic: TOPICS.paymentsEvents };
    return readWholeTopic({ ...place, logger, sessionTimeoutMs: 2_000, silenceMs: LONGEST_WAIT_MS, onCount, take });
  }

  async function verified() {
    const findings = new Findings();
    const say = () => undefined;
    const records = await verifyTopic({
      store: instance.store,
      client,
      published: PAYMENT_EVENTS,
      readTopic,
      findings,
      say,
    });
    const { differences, first } = findings.list().find(({ kind }) => kind === 'topic')!;
    return { records, differences, first };
  }

  async function anyRecord(): Promise<ReadRecord> {
    const records: ReadRecord[] = [];
    await readTopic(
      () => undefined,
      (record) => records.push(record),
    );
    return records[0]!;
  }

  async function plant(...messages: ReadRecord[]): Promise<void> {
    const producer = kafka.producer();
    await producer.connect();
    await producer.send({
      topic,
      messages: messages.map((message) => ({ ...message, headers: { ...message.headers } })),
    });
    await producer.disconnect();
  }

  it('given what was published, and some of it twice, when verified, then nothing differs', async () => {
    await plant(await anyRecord());
    expect(await verified()).toEqual({ records: expect.any(Number), differences: 0, first: null });
  });

  it('given records that are not from an event, when verified, then it says so of the first', async () => {
    const record = await anyRecord();
    const event = { ...(JSON.parse(record.value) as PublicPaymentEvent), eventId: 'no-event-of-ours' };
    const headers = { ...record.headers, position: '1', 'event-id': event.eventId };
    await plant({ ...record, headers, value: JSON.stringify(event) });
    expect(await verified()).toMatchObject({
      differences: 1,
      first: 'payments.events.v1: event no-event-of-ours: not from an event',
    });
  });

  it('given a record that says another amount, when verified, then it differs', async () => {
    const record = await anyRecord();
    const event = JSON.parse(record.value) as PublicPaymentEvent;
    const { differences } = await verified();
    await plant({ ...record, value: JSON.stringify({ ...event, amountCents: event.amountCents + 1 }) });
    // It stands there beside the right one, and after it.
    expect((await verified()).differences).toBe(differences + 2);
  });

  it('given a topic ahead of the ledger, when verified, then it says so', async () => {
    const record = await anyRecord();
    const before = await verified();
    const event = { ...(JSON.parse(record.value) as PublicPaymentEvent), eventId: 'lost-by-a-restore' };
    const headers = { ...record.headers, position: '1000000', 'event-id': event.eventId };
    await plant({ ...record, headers, value: JSON.stringify(event) });
    expect((await verified()).differences).toBe(before.differences + 1);
  });

  it('given records that are lost, when verified, then they are missing', async () => {
    const before = await verified();
    const admin = kafka.admin();
    await admin.connect();
    // All of them: the partition that holds what was planted would take its differences with it.
    const filled = (await admin.fetchTopicOffsets(topic)).filter(({ low, high }) => low !== high);
    const partitions = filled.map(({ partition, high: offset }) => ({ partition, offset }));
    await admin.deleteTopicRecords({ topic, partitions });
    await admin.disconnect();
    const { records, differences } = await verified();
    expect(records).toBe(0);
    expect(differences).toBeGreaterThan(before.differences);
  });
});
