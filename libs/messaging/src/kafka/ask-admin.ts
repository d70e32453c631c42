import { setTimeout as pause } from 'node:timers/promises';
import { LIMITS } from '@settle/config';
import type { Admin, Kafka } from 'kafkajs';
import { within } from './within.js';

const { startWaitMs, disconnectWaitMs, retryPauseMinMs } = LIMITS.kafka;

/**
 * Lets `ask` put its questions to the cluster, and put them again while partitions find their leaders.
 * @throws one line when no broker answers in 30 s; else what `ask` throws in the end
 */
export async function askAdmin<Answer>(
  kafka: Kafka,
  brokers: readonly string[],
  ask: (admin: Admin) => Promise<Answer>,
): Promise<Answer> {
  const admin = kafka.admin();
  const endsAtMs = performance.now() + startWaitMs;
  try {
    const connecting = admin.connect();
    if (!(await within(startWaitMs, connecting))) throw new Error(`No Kafka broker answers at ${brokers.join(', ')}`);
    await connecting;
    return await untilAnswered(() => ask(admin), endsAtMs);
  } finally {
    await within(disconnectWaitMs, admin.disconnect());
  }
}

async function untilAnswered<Answer>(ask: () => Promise<Answer>, endsAtMs: number): Promise<Answer> {
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      if ((error as { readonly retriable?: boolean }).retriable !== true || performance.now() >= endsAtMs) throw error;
    }
    await pause(retryPauseMinMs);
  }
}
