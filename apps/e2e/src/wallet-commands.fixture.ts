import { randomUUID } from 'node:crypto';
import { TOPICS } from '@settle/contracts';
import { eventually } from '@settle/testing';
import kafkajs, { type Admin, type Kafka, type KafkaMessage } from 'kafkajs';

const { AssignerProtocol, Kafka: KafkaClient, Partitioners, logLevel } = kafkajs;
const TOPIC = TOPICS.paymentsCommands;
const REPEATED = 'repeated';
const TAKEN_WAIT_MS = 30_000;

function client(brokers: readonly string[]): Kafka {
  return new KafkaClient({ brokers: [...brokers], logLevel: logLevel.NOTHING });
}

async function withAdmin<T>(brokers: readonly string[], work: (admin: Admin) => Promise<T>): Promise<T> {
  const admin = client(brokers).admin();
  await admin.connect();
  return work(admin).finally(() => admin.disconnect());
}

/** Returns, for each user in order, the member of the consumer group of payments-service that owns the wallet. */
export async function findOwners(brokers: readonly string[], userIds: readonly string[]): Promise<string[]> {
  return withAdmin(brokers, async (admin) => {
    const { topics } = await admin.fetchTopicMetadata({ topics: [TOPIC] });
    const { groups } = await admin.describeGroups([TOPIC]);
    const partitioner = Partitioners.DefaultPartitioner();
    return userIds.map((key) => {
      const message = { key, value: null };
      const partition = partitioner({ topic: TOPIC, partitionMetadata: topics[0]?.partitions ?? [], message });
      const owner = groups[0]?.members.find(({ memberAssignment }) => {
        return AssignerProtocol.MemberAssignment.decode(memberAssignment)?.assignment[TOPIC]?.includes(partition);
      });
      if (owner === undefined) throw new Error(`Partition ${partition} is not assigned.`);
      return owner.memberId;
    });
  });
}

/** Sends every command on the topic once more, unchanged. */
export class CommandRepeater {
  readonly #consumer;
  readonly #producer;
  /** The number of repeated commands. */
  repeated = 0;

  constructor(private readonly brokers: readonly string[]) {
    const kafka = client(brokers);
    this.#consumer = kafka.consumer({ groupId: randomUUID(), maxWaitTimeInMs: 50 });
    this.#producer = kafka.producer();
  }

  /** Starts with the next command. */
  async start(): Promise<void> {
    await Promise.all([this.#producer.connect(), this.#consumer.connect()]);
    await this.#consumer.subscribe({ topic: TOPIC });
    const ends = await withAdmin(this.brokers, (admin) => admin.fetchTopicOffsets(TOPIC));
    const joined = new Promise((resolve) => this.#consumer.on('consumer.group_join', resolve));
    await this.#consumer.run({ eachMessage: ({ partition, message }) => this.#repeat(partition, message) });
    for (const { partition, high } of ends) this.#consumer.seek({ topic: TOPIC, partition, offset: high });
    await joined;
  }

  /** Resolves once the services have consumed the whole topic. */
  async waitUntilConsumed(): Promise<void> {
    await withAdmin(this.brokers, (admin) =>
      eventually(
        async () => {
          const ends = await admin.fetchTopicOffsets(TOPIC);
          const [taken] = await admin.fetchOffsets({ groupId: TOPIC, topics: [TOPIC] });
          for (const { partition, high } of ends) {
            // -1 if no record was ever consumed.
            const offset = taken?.partitions.find((one) => one.partition === partition)?.offset ?? '-1';
            if (Math.max(0, Number(offset)) < Number(high))
              throw new Error(`${partition}: ${offset} of ${high} taken.`);
          }
        },
        { timeoutMs: TAKEN_WAIT_MS },
      ),
    );
  }

  async stop(): Promise<void> {
    await Promise.all([this.#consumer.disconnect(), this.#producer.disconnect()]);
  }

  async #repeat(partition: number, { key, value, headers }: KafkaMessage): Promise<void> {
    if (headers?.[REPEATED] !== undefined) return;
    const message = { key, value, partition, headers: { ...headers, [REPEATED]: 'true' } };
    await this.#producer.send({ topic: TOPIC, messages: [message] });
    this.repeated += 1;
  }
}
