import { createRequire } from 'node:module';
import { explainCreation } from './cluster-setup.js';

const require = createRequire(import.meta.url);
const { KafkaJSAggregateError, KafkaJSCreateTopicError } = require('kafkajs/src/errors') as Record<
  string,
  new (...args: unknown[]) => Error
>;
const { createErrorFromCode } = require('kafkajs/src/protocol/error') as {
  createErrorFromCode: (code: number) => Error;
};
const CODES = {
  REQUEST_TIMED_OUT: 7,
  TOPIC_ALREADY_EXISTS: 36,
  INVALID_PARTITIONS: 37,
  INVALID_REPLICATION_FACTOR: 38,
};

/** As kafkajs throws it. */
function refusal(...types: (keyof typeof CODES)[]): Error {
  const errors = types.map((type, at) => new KafkaJSCreateTopicError!(createErrorFromCode(CODES[type]), `topic-${at}`));
  return new KafkaJSAggregateError!('Topic creation errors', errors);
}

function explained(error: Error): Error & { retriable?: boolean } {
  try {
    return explainCreation(error);
  } catch (thrown) {
    return thrown as Error;
  }
}

describe('explainCreation', () => {
  it('given a broker that was too slow, when topics are created, then the error names them and can be retried', () => {
    const error = explained(refusal('REQUEST_TIMED_OUT', 'TOPIC_ALREADY_EXISTS'));
    expect(error.message).toBe(
      'Kafka did not create the topics topic-0 (REQUEST_TIMED_OUT), topic-1 (TOPIC_ALREADY_EXISTS)',
    );
    expect(error.retriable).toBe(true);
  });

  it('given a broker that has just started and another instance, when topics are created, then the error can be retried', () => {
    const error = explained(refusal('TOPIC_ALREADY_EXISTS', 'INVALID_REPLICATION_FACTOR'));
    expect(error.message).toContain('topic-1 (INVALID_REPLICATION_FACTOR)');
    expect(error.retriable).toBe(true);
  });

  it('given a number of partitions that Kafka refuses, when topics are created, then the error says so and is final', () => {
    const error = explained(refusal('INVALID_PARTITIONS'));
    expect(error.message).toContain('topic-0 (INVALID_PARTITIONS)');
    expect(error.retriable).toBe(false);
  });

  it('given any other error, when topics are created, then it is thrown as it is', () => {
    const error = new Error('No broker answers');
    expect(explained(error)).toBe(error);
  });
});
