import { rm } from 'node:fs/promises';

/** Stops the Kafka of `kafka-setup.ts` and removes its log. */
export default async function stopKafkaOfSpecs(): Promise<void> {
  const running = globalThis.settleTestKafka;
  if (running === undefined) return;
  await running.kafka.stop();
  await rm(running.folder, { recursive: true, force: true });
}
