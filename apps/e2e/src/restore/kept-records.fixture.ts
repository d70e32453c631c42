import { randomUUID } from 'node:crypto';
import kafkajs, { type Admin, type Batch, type Kafka } from 'kafkajs';

const { ConfigResourceTypes, Kafka: KafkaClient, logLevel } = kafkajs;
const SHORT_MS = '500';
const SEARCH_MS = 20_000;
const SHORT = {
  delete: { 'cleanup.policy': 'delete', 'retention.ms': SHORT_MS, 'segment.ms': SHORT_MS },
  compact: {
    'cleanup.policy': 'compact',
    'segment.ms': SHORT_MS,
    'max.compaction.lag.ms': SHORT_MS,
    'min.cleanable.dirty.ratio': '0.001',
  },
};

interface Topic {
  readonly name: string;
  /** Null: it keeps its records for ever. */
  readonly removes: keyof typeof SHORT | null;
}

/** The records that the topics of a product keep, and settings that shorten for how long. */
export class KeptRecords {
  readonly #kafka: Kafka;

  constructor(brokers: readonly string[]) {
    this.#kafka = new KafkaClient({ brokers: [...brokers], logLevel: logLevel.NOTHING });
  }

  /** Lets every topic that removes records at some time do so after half a second. */
  async shortenTimes(): Promise<void> {
    await this.#asAdmin(async (admin) => {
      const resources = (await topicsOf(admin)).flatMap(({ name, removes }) =>
        removes === null ? [] : [{ type: ConfigResourceTypes.TOPIC, name, configEntries: entriesOf(SHORT[removes]) }],
      );
      await admin.alterConfigs({ validateOnly: false, resources });
    });
  }

  /** Writes a record without a value into each partition of the compacted topics: only then is what stands before it compacted. */
  async writeOn(): Promise<void> {
    const producer = this.#kafka.producer();
    await producer.connect();
    await this.#asAdmin(async (admin) => {
      for (const { name, removes } of await topicsOf(admin)) {
        if (removes !== 'compact') continue;
        const partitions = await admin.fetchTopicOffsets(name);
        const messages = partitions.map(({ partition }) => ({ partition, key: 'after', value: null }));
        await producer.send({ topic: name, messages });
      }
    }).finally(() => producer.disconnect());
  }

  /**
   * Searches keys, values and headers of all records for texts in any case. Returns each topic with the text found in it.
   * Error: Kafka removed records before they were read, and their partition sends none any more.
   */
  async find(texts: readonly string[]): Promise<string[]> {
    const left = await this.#asAdmin(ends);
    const found = new Set<string>();
    const consumer = this.#kafka.consumer({ groupId: `search-${randomUUID()}`, maxWaitTimeInMs: 100 });
    await consumer.connect();
    let timer: NodeJS.Timeout | undefined;
    try {
      await consumer.subscribe({ topics: [...new Set([...left.keys()].map(topicOf))], fromBeginning: true });
      await new Promise<void>((resolve, reject) => {
        timer = setTimeout(() => reject(new Error(`Not read to the end: ${[...left.keys()].join(', ')}`)), SEARCH_MS);
        consumer.on('consumer.crash', ({ payload }) => reject(payload.error));
        const search = async ({ batch }: { batch: Batch }): Promise<void> => {
          for (const text of texts) if (contains(batch, text)) found.add(`${batch.topic} has "${text}"`);
          const partition = `${batch.topic}/${batch.partition}`;
          if (BigInt(batch.lastOffset()) + 1n >= (left.get(partition) ?? 0n)) left.delete(partition);
          if (left.size === 0) resolve();
          return Promise.resolve();
        };
        consumer.run({ eachBatch: search }).catch(reject);
      });
    } finally {
      clearTimeout(timer);
      await consumer.disconnect();
    }
    return [...found].sort();
  }

  async #asAdmin<Result>(work: (admin: Admin) => Promise<Result>): Promise<Result> {
    const admin = this.#kafka.admin();
    await admin.connect();
    return work(admin).finally(() => admin.disconnect());
  }
}

const entriesOf = (settings: Readonly<Record<string, string>>) =>
  Object.entries(settings).map(([name, value]) => ({ name, value }));
const topicOf = (partition: string) => partition.slice(0, partition.lastIndexOf('/'));

async function topicsOf(admin: Admin): Promise<Topic[]> {
  const names = (await admin.listTopics()).filter((name) => !name.startsWith('__'));
  const { resources } = await admin.describeConfigs({
    includeSynonyms: false,
    resources: names.map((name) => ({ type: ConfigResourceTypes.TOPIC, name })),
  });
  return resources.map(({ resourceName: name, configEntries }) => {
    const valueOf = (wanted: string) => configEntries.find(({ configName }) => configName === wanted)?.configValue;
    if (valueOf('cleanup.policy') === 'compact') return { name, removes: 'compact' };
    return { name, removes: valueOf('retention.ms') === '-1' ? null : 'delete' };
  });
}

/** The end of each partition that has records, by `topic/partition`. */
async function ends(admin: Admin): Promise<Map<string, bigint>> {
  const found = new Map<string, bigint>();
  for (const { name } of await topicsOf(admin)) {
    for (const { partition, low, high } of await admin.fetchTopicOffsets(name)) {
      if (low !== high) found.set(`${name}/${partition}`, BigInt(high));
    }
  }
  return found;
}

function contains({ messages }: Batch, text: string): boolean {
  const wanted = text.toLowerCase();
  return messages.some(({ key, value, headers }) =>
    [key, value, JSON.stringify(headers ?? {})].some((part) => String(part).toLowerCase().includes(wanted)),
  );
}
