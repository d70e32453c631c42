import { randomUUID } from 'node:crypto';
import { TOPICS } from '@settle/contracts';
import kafkajs from 'kafkajs';

/** Returns the epochs of the records that the topic of payment events has now. */
export async function readEpochs(brokers: readonly string[]): Promise<ReadonlySet<number>> {
  const topic = TOPICS.paymentsEvents;
  const kafka = new kafkajs.Kafka({ brokers: [...brokers], logLevel: kafkajs.logLevel.NOTHING });
  const admin = kafka.admin();
  await admin.connect();
  const offsets = await admin.fetchTopicOffsets(topic);
  await admin.disconnect();
  const ends = new Map(offsets.filter(({ low, high }) => low !== high).map((at) => [at.partition, Number(at.high)]));
  const epochs = new Set<number>();
  const consumer = kafka.consumer({ groupId: `epochs-${randomUUID()}`, maxWaitTimeInMs: 100 });
  await consumer.connect();
  await consumer.subscribe({ topic, fromBeginning: true });
  const { promise: done, resolve } = Promise.withResolvers<void>();
  if (ends.size === 0) resolve();
  await consumer.run({
    eachMessage: async ({ partition, message }) => {
      epochs.add(Number(String(message.headers?.['epoch'])));
      if (Number(message.offset) + 1 >= (ends.get(partition) ?? 0)) ends.delete(partition);
      if (ends.size === 0) resolve();
    },
  });
  await done;
  await consumer.disconnect();
  return epochs;
}
