import { retry, settlesWithin, withTimeout } from '@settle/concurrency';
import { LIMITS } from '@settle/config';
import type { Admin, Kafka, KafkaJSError } from 'kafkajs';

const { firstConnectionWaitMs, startWaitMs, disconnectWaitMs, retryPauseMinMs, retryPauseMaxMs } = LIMITS.kafka;

/**
 * Runs `work` with an admin client that connects within 15 s; retries for 30 s while a topic has no leader.
 * @param kafka a client with bounded retries
 * @throws one line if no broker responds or a topic has no leader; otherwise the error of `work`
 */
export async function runWithAdmin<Result>(
  kafka: Kafka,
  brokers: readonly string[],
  work: (admin: Admin) => Promise<Result>,
): Promise<Result> {
  const admin = kafka.admin();
  const giveUpAtMs = performance.now() + startWaitMs;
  try {
    await connect(admin, brokers);
    return await retryTransient(() => work(admin), giveUpAtMs);
  } catch (error) {
    if (!isWithoutMetadata(error)) throw error;
    throw new Error('A Kafka topic has no leader: check that the brokers that hold its replicas run', { cause: error });
  } finally {
    await settlesWithin(admin.disconnect(), disconnectWaitMs);
  }
}

async function connect(admin: Admin, brokers: readonly string[]): Promise<void> {
  const connecting = retryTransient(() => admin.connect(), performance.now() + firstConnectionWaitMs);
  try {
    await withTimeout(connecting, firstConnectionWaitMs, () => new Error('it does not answer'));
  } catch (cause) {
    const { name, message } = cause as Error;
    const reason =
      name === 'KafkaJSSASLAuthenticationError'
        ? `Kafka at ${brokers.join(', ')} refuses the sign-in`
        : `No Kafka broker answers at ${brokers.join(', ')}`;
    throw new Error(`${reason}: ${message}`, { cause });
  }
}

function retryTransient<Result>(work: () => Promise<Result>, giveUpAtMs: number): Promise<Result> {
  return retry(work, {
    minPauseMs: retryPauseMinMs,
    maxPauseMs: retryPauseMaxMs,
    giveUpAtMs,
    isRetryable: isTransient,
  });
}

function isTransient(error: unknown): boolean {
  const { name, retriable } = error as Partial<KafkaJSError>;
  return retriable === true || name === 'KafkaJSNumberOfRetriesExceeded' || isWithoutMetadata(error);
}

/** kafkajs reads topic metadata from null if the broker refused the request, as it does while a topic has no leader. */
function isWithoutMetadata(error: unknown): boolean {
  return error instanceof TypeError && error.message.includes('topicMetadata');
}
