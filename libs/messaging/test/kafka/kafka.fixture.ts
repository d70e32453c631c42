import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { createLogger } from '@settle/observability';
import kafkajs, { type Admin, type Message } from 'kafkajs';
import {
  KafkaBus,
  createKafkaTopics,
  type CreateTopicsOptions,
  type KafkaAddress,
  type KafkaBusOptions,
} from '../../src/index.js';
import { createKafkaClient } from '../../src/kafka/kafka-connection.js';

const logger = createLogger({ level: 'silent', service: 'spec' });

/** Two members share this many partitions, and it costs little to make them. */
const PARTITIONS = 4;

export const SESSION_TIMEOUT_MS = 2_000;

/** Topics of its own on the Kafka of this test run. */
export interface KafkaSpace {
  readonly address: KafkaAddress;
  readonly topicPrefix: string;
  connect(more?: Partial<KafkaBusOptions>): Promise<KafkaBus>;
  /** Makes the topics again. */
  createTopics(more: Partial<CreateTopicsOptions>): Promise<void>;
  /** A client beside the bus, to look and to meddle. */
  withAdmin<Result>(look: (admin: Admin) => Promise<Result>): Promise<Result>;
  /** Closes every bus, and removes the topics. */
  close(): Promise<void>;
}

export function kafkaOfThisRun(): KafkaAddress {
  const brokers = process.env['SETTLE_TEST_KAFKA'];
  if (brokers === undefined) throw new Error('No Kafka runs for this spec: name it *.kafka.spec.ts');
  return { brokers: brokers.split(',') };
}

export async function kafkaSpace(address: KafkaAddress = kafkaOfThisRun()): Promise<KafkaSpace> {
  const topicPrefix = `spec-${randomBytes(6).toString('hex')}.`;
  const createTopics = (more: Partial<CreateTopicsOptions>) =>
    createKafkaTopics({ address, logger, topicPrefix, partitionsAtMost: PARTITIONS, ...more });
  await createTopics({});
  const buses: KafkaBus[] = [];
  const withAdmin: KafkaSpace['withAdmin'] = async (look) => {
    const admin = createKafkaClient(address, 'spec', logger).admin();
    await admin.connect();
    try {
      return await look(admin);
    } finally {
      await admin.disconnect();
    }
  };
  return {
    address,
    topicPrefix,
    withAdmin,
    createTopics,
    async connect(more = {}) {
      const usual = { address, topicPrefix, logger, clientId: 'spec', sessionTimeoutMs: SESSION_TIMEOUT_MS };
      const bus = await KafkaBus.connect({ ...usual, ...more });
      buses.push(bus);
      return bus;
    },
    async close() {
      await Promise.all(buses.map((bus) => bus.close()));
      await withAdmin(async (admin) => {
        const topics = (await admin.listTopics()).filter((topic) => topic.startsWith(topicPrefix));
        await admin.deleteTopics({ topics });
      });
    },
  };
}

/** Writes a record as it is, past the bus. */
export async function writeRecord(
  { address, topicPrefix }: KafkaSpace,
  topic: string,
  message: { key: string; value: string | null; headers?: Record<string, string | null>; partition?: number },
): Promise<void> {
  const createPartitioner = kafkajs.Partitioners.DefaultPartitioner;
  const producer = createKafkaClient(address, 'spec', logger).producer({ createPartitioner });
  await producer.connect();
  // The types of kafkajs do not know headers without a value.
  await producer.send({ topic: `${topicPrefix}${topic}`, messages: [message as Message] });
  await producer.disconnect();
}

interface PlainRecord {
  readonly key: string;
  readonly value: string | null;
  readonly headers: Record<string, string | null>;
}

/** The first records of a topic, as any client reads them. */
export async function readTopic(
  { address, topicPrefix }: KafkaSpace,
  topic: string,
  count: number,
): Promise<readonly PlainRecord[]> {
  const groupId = `${topicPrefix}reader-${randomBytes(6).toString('hex')}`;
  const consumer = createKafkaClient(address, 'spec', logger).consumer({ groupId, maxWaitTimeInMs: 100 });
  const records: PlainRecord[] = [];
  const complete = signal();
  await consumer.connect();
  await consumer.subscribe({ topic: `${topicPrefix}${topic}`, fromBeginning: true });
  await consumer.run({
    eachMessage: async ({ message: { key, value, headers = {} } }) => {
      const texts = Object.entries(headers).map(([name, text]) => [
        name,
        (text as unknown) === null ? null : String(text),
      ]);
      records.push({
        key: String(key),
        value: value?.toString() ?? null,
        headers: Object.fromEntries(texts) as Record<string, string | null>,
      });
      if (records.length === count) complete.give();
    },
  });
  await complete.given;
  await consumer.disconnect();
  return records;
}

/** A promise, and what resolves it. */
export function signal<Value = void>() {
  let give!: (value: Value) => void;
  const given = new Promise<Value>((resolve) => (give = resolve));
  return { given, give };
}

/**
 * A process with a bus of its own that can be killed. `register` is code with `bus`, `topic` and `SettleError`; `began` in it is a
 * handler that tells so and never ends.
 */
export async function inProcessToKill({ address, topicPrefix }: KafkaSpace, register: string, topic: string) {
  const options = { address, topicPrefix, clientId: 'to-kill', sessionTimeoutMs: SESSION_TIMEOUT_MS };
  const script = `
    import { SettleError } from '@settle/contracts';
    import { KafkaBus } from '@settle/messaging';
    import { createLogger } from '@settle/observability';
    const topic = ${JSON.stringify(topic)};
    const logger = createLogger({ level: 'silent', service: 'spec' });
    const bus = await KafkaBus.connect({ ...${JSON.stringify(options)}, logger });
    const began = () => new Promise(() => console.log('began'));
    ${register};
    await bus.ready();
    console.log('ready');`;
  const args = ['--input-type=module', '--eval', script];
  const child = spawn(process.execPath, args, { cwd: import.meta.dirname, stdio: ['ignore', 'pipe', 'inherit'] });
  const said = { ready: signal(), began: signal() };
  createInterface({ input: child.stdout }).on('line', (word) => {
    if (word in said) said[word as keyof typeof said].give();
  });
  await said.ready.given;
  return {
    began: said.began.given,
    async kill() {
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    },
  };
}
