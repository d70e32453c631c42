import kafkajs from 'kafkajs';
import { isDenied, readerError, withRight } from './missing-right.js';

const { KafkaJSAggregateError, KafkaJSNonRetriableError, KafkaJSProtocolError } = kafkajs;

const refusal = (type: string) =>
  new KafkaJSProtocolError(Object.assign(new Error('Not authorized'), { type, code: 29 }));
const NAMES = { topic: 'payments.commands', groupId: 'payments.commands' };

describe('a refusal by the authorizer of Kafka', () => {
  it.each([
    ['a topic', 'TOPIC_AUTHORIZATION_FAILED', 'Read on topic payments.commands'],
    ['a group', 'GROUP_AUTHORIZATION_FAILED', 'Read on group payments.commands'],
  ])('given %s that may not be read, when the reader ends, then the error names it', (_what, type, named) => {
    expect(readerError(refusal(type), NAMES).message).toBe(
      `Kafka does not allow ${named}: give this principal that right`,
    );
  });

  it('given a refusal inside the errors of several topics, when they are created, then the error names the operation', async () => {
    const several = new KafkaJSAggregateError('Topic creation errors', [refusal('TOPIC_AUTHORIZATION_FAILED')]);
    const created = withRight('Create', 'topic payments.commands', () => Promise.reject(several));
    await expect(created).rejects.toThrow('Kafka does not allow Create on topic payments.commands');
  });

  it('given a refusal behind an error that ends the client, when it is looked at, then it counts as denied', () => {
    const cause = refusal('CLUSTER_AUTHORIZATION_FAILED');
    expect(isDenied(Object.assign(new KafkaJSNonRetriableError('The client ended'), { cause }))).toBe(true);
  });

  it('given any other error, when it is looked at, then it stays as it is', async () => {
    const error = refusal('LEADER_NOT_AVAILABLE');
    expect(readerError(error, NAMES)).toBe(error);
    await expect(withRight('Create', 'topic a', () => Promise.reject(error))).rejects.toBe(error);
  });
});
