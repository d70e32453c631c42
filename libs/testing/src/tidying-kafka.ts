import { startKafka, type RunningKafka } from '@settle/local-kafka';

/** By default brokers look for segments to remove half a minute after their start and then every five minutes. */
const OFTEN = {
  'log.initial.task.delay.ms': '500',
  'log.retention.check.interval.ms': '1000',
  'log.cleaner.backoff.ms': '500',
  'log.segment.delete.delay.ms': '100',
};

/**
 * Starts Kafka on the data folder of a stack that has stopped. It removes records that have passed their time within seconds.
 * Errors: those of the broker's start.
 */
export function startTidyingKafka(dataDir: string): Promise<RunningKafka> {
  return startKafka({ dataDir, port: null, settings: OFTEN });
}
