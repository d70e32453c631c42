import { setTimeout as pause } from 'node:timers/promises';
import { LIMITS } from '@settle/config';
import type { Admin, Kafka, KafkaJSError } from 'kafkajs';
import { settlesWithin } from './settles-within.js';

const { firstConnectionWaitMs, startWaitMs, disconnectWaitMs, retryPauseMinMs } = LIMITS.kafka;

/**
 * Runs `ask` with an admin client that connects within 15 s; retries for 30 s while a topic has no leader.
 * @param kafka a client with bounded retries
 * @throws one line if no broker responds or a topic has no leader; otherwise the error of `ask`
 */
export async function runWithAdmin<Answer>(
  kafka: Kafka,
  brokers: readonly string[],
  ask: (admin: Admin) => Promise<Answer>,
): Promise<Answer> {
  const admin = kafka.admin();
  const endsAtMs = performance.now() + startWaitMs;
  try {
    await connect(admin, brokers);
    return await retryTransient(() => ask(admin), endsAtMs);
  } catch (error) {
    if (!isWithoutMetadata(error)) throw error;
    throw new Error('A Kafka topic has no leader: check that the brokers that hold its replicas run', { cause: error });
  } finally {
    await settlesWithin(disconnectWaitMs, admin.disconnect());
  }
}

async function connect(admin: Admin, brokers: readonly string[]): Promise<void> {
  const endsAtMs = performance.now() + firstConnectionWaitMs;
  const connecting = retryTransient(() => admin.connect(), endsAtMs);
  const isConnected = await settlesWithin(firstConnectionWaitMs, connecting);
  if (isConnected) return connecting.catch(noBroker(brokers));
  connecting.catch(() => undefined);
  return noBroker(brokers)(new Error('it does not answer'));
}

const noBroker =
  (brokers: readonly string[]) =>
  (error: Error): never => {
    if (error.name === 'KafkaJSSASLAuthenticationError') {
      throw new Error(`Kafka at ${brokers.join(', ')} refuses the sign-in: ${error.message}`, { cause: error });
    }
    throw new Error(`No Kafka broker answers at ${brokers.join(', ')}: ${error.message}`, { cause: error });
  };

async function retryTransient<Answer>(ask: () => Promise<Answer>, endsAtMs: number): Promise<Answer> {
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      if (!isTransient(error) || performance.now() >= endsAtMs) throw error;
    }
    await pause(retryPauseMinMs);
  }
}

function isTransient(error: unknown): boolean {
  const { name, retriable } = error as Partial<KafkaJSError>;
  return retriable === true || name === 'KafkaJSNumberOfRetriesExceeded' || isWithoutMetadata(error);
}

/** kafkajs reads topic metadata from null if the broker refused the request, as it does while a topic has no leader. */
function isWithoutMetadata(error: unknown): boolean {
  return error instanceof TypeError && error.message.includes('topicMetadata');
}
