import { SettleError } from '@settle/contracts';
import type { ICustomPartitioner, Kafka, PartitionMetadata, Producer, RecordMetadata } from 'kafkajs';
import { SequentialProducer } from './sequential-producer.js';

const TOPIC = 'payments.events.v1';
const PARTITIONS = Array.from({ length: 12 }, (_, partitionId) => ({ partitionId }) as PartitionMetadata);

/** A cluster whose producers do what a spec says. */
class SpecCluster {
  /** The steps so far; a producer is named by its number. */
  readonly steps: string[] = [];
  /** Results of the next connects; once there are none, each succeeds. */
  readonly connects: Promise<void>[] = [];
  /** Partitions for which the next batch has no response. */
  silent: readonly number[] = [];
  #producers = 0;

  producer({ createPartitioner }: { readonly createPartitioner: ICustomPartitioner }): Producer {
    const name = (this.#producers += 1);
    const choose = createPartitioner();
    const producer: Partial<Producer> = {
      connect: async () => {
        await (this.connects.shift() ?? Promise.resolve());
        this.steps.push(`${name} connected`);
      },
      sendBatch: async ({ topicMessages = [] }) => {
        const partitions = topicMessages.flatMap(({ topic, messages }) =>
          messages.map((message) => choose({ topic, message, partitionMetadata: PARTITIONS })),
        );
        this.steps.push(`${name} sent ${partitions.length}`);
        const answered = partitions.filter((one) => one < PARTITIONS.length && !this.silent.includes(one));
        this.silent = [];
        return answered.map((partition): RecordMetadata => ({ topicName: TOPIC, partition, errorCode: 0 }));
      },
      disconnect: async () => void this.steps.push(`${name} disconnected`),
    };
    return producer as Producer;
  }
}

const record = (partition: number) => ({ topic: TOPIC, partition, key: null, value: Buffer.from('{}'), headers: {} });
const keyed = (key: string) => ({ topic: TOPIC, key, value: Buffer.from('{}'), headers: {} });
const codeOf = (stored: Promise<void>) =>
  stored.then(
    () => 'stored',
    (error: unknown) => (error instanceof SettleError ? error.code : error),
  );

describe('a producer of records', () => {
  let cluster: SpecCluster;
  let failures: unknown[];
  let producer: SequentialProducer;
  beforeEach(() => {
    cluster = new SpecCluster();
    failures = [];
    producer = new SequentialProducer(cluster as unknown as Kafka, (error) => failures.push(error));
  });

  it('given a batch for two partitions, when no broker responds for one of them, then no record counts as stored, and a new producer goes on', async () => {
    cluster.silent = [7];
    await expect(codeOf(producer.post([record(3), record(7)]).stored)).resolves.toBe('outcome_unknown');
    expect(failures).toEqual([new Error(`No broker took the records for partition 7 of ${TOPIC}`)]);
    await expect(codeOf(producer.post([record(3), record(7)]).stored)).resolves.toBe('stored');
    expect(cluster.steps).toEqual(['1 connected', '1 sent 2', '1 disconnected', '2 connected', '2 sent 2']);
  });

  it('given a batch without a response, when the next one has other partitions, then only its own must respond', async () => {
    cluster.silent = [7];
    await codeOf(producer.post([record(7)]).stored);
    await expect(codeOf(producer.post([keyed('alice'), keyed('bob')]).stored)).resolves.toBe('stored');
  });

  it('given a reply for a partition that the topic does not have, when it is sent, then the other records are stored', async () => {
    await expect(codeOf(producer.post([record(3), record(12)]).stored)).resolves.toBe('stored');
    expect(failures).toEqual([]);
  });

  it('given a producer that gets no id, when records wait, then they are refused unsent, and a new producer sends the next ones', async () => {
    cluster.connects.push(Promise.reject(new Error('no id')));
    await expect(codeOf(producer.post([record(3)]).stored)).resolves.toBe('service_unavailable');
    await expect(codeOf(producer.post([record(3)]).stored)).resolves.toBe('stored');
    expect(cluster.steps).toEqual(['1 disconnected', '2 connected', '2 sent 1']);
  });

  it('given records that are withdrawn while the connection opens, when it is open, then nothing is sent', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    cluster.connects.push(promise);
    const { withdraw } = producer.post([record(3)]);
    await Promise.resolve();
    expect(withdraw()).toBe(true);
    resolve();
    await expect(codeOf(producer.post([record(4)]).stored)).resolves.toBe('stored');
    expect(cluster.steps).toEqual(['1 connected', '1 sent 1']);
  });

  it('given a connection that is still opening, when the producer closes, then it is ended once it is open', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    cluster.connects.push(promise);
    const stored = codeOf(producer.post([record(3)]).stored);
    const closing = producer.close(0);
    await expect(stored).resolves.toBe('service_unavailable');
    resolve();
    await closing;
    expect(cluster.steps).toEqual(['1 connected', '1 disconnected']);
  });
});
