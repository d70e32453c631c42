import { LIMITS } from '@settle/config';
import { SettleError, TOPICS } from '@settle/contracts';
import type { IHeaders, KafkaMessage } from 'kafkajs';
import {
  UnreadableRecord,
  buildDeadLetterRecord,
  readEvent,
  readReply,
  readRequest,
  buildRequestRecord,
  buildRefusalRecord,
  buildReplyRecord,
  type OutgoingRecord,
} from './kafka-record.js';

const to = { partition: 3, correlationId: 'c' };

const arrived = ({ value, headers }: OutgoingRecord): KafkaMessage => ({
  key: null,
  value,
  headers,
  timestamp: '0',
  attributes: 0,
  offset: '0',
});

describe('replies', () => {
  it('given an answer that looks like a refusal, when it is read, then it is an answer', () => {
    const reply = { code: 'not_permitted', message: 'm', details: {} };
    expect(readReply(arrived(buildReplyRecord('t', to, reply)))).toEqual({ correlationId: 'c', outcome: reply });
  });

  it('given a refusal, when it is read, then code and details are there', () => {
    const { outcome } = readReply(
      arrived(buildRefusalRecord('t', to, new SettleError('not_permitted', 'No.', { n: 1 }))),
    );
    expect(outcome).toBeInstanceOf(SettleError);
    expect(outcome).toMatchObject({ code: 'not_permitted', message: 'No.', details: { n: 1 } });
  });

  it('given a refusal of a code that only a newer version knows, when it is read, then it is a bug of ours', () => {
    const newer = new SettleError('brand_new' as 'not_permitted', 'No.');
    expect(readReply(arrived(buildRefusalRecord('t', to, newer))).outcome).toMatchObject({ code: 'internal_error' });
  });

  it('given a record that is no reply, when it is read, then it is refused without its text', () => {
    const record = { ...buildReplyRecord('t', to, {}), value: Buffer.from('c4n4ry') };
    expect(() => readReply(arrived(record))).toThrow(new UnreadableRecord('Its value is no JSON object.'));
  });
});

describe('requests', () => {
  const topic = TOPICS.paymentsCommands;
  const envelope = { topic, pattern: 'p', key: 'k', payload: {}, requestId: 'r', timeoutMs: 5_000 };
  const { clockToleranceMs } = LIMITS.kafka;

  it.each([
    ['of now', 0, true],
    ['of a clock that is a little ahead', clockToleranceMs - 1_000, true],
    ['that was stored before the clock went back', clockToleranceMs + 1_000, false],
  ])('given a request %s, when it is read, then it may be begun or not', (_, aheadMs, mayBegin) => {
    const sentAtMs = Date.now() + aheadMs;
    const record = arrived(buildRequestRecord('t', envelope, to, sentAtMs + 5_000));
    const { timeoutMs } = readRequest(topic, {
      ...record,
      key: Buffer.from('k'),
      timestamp: String(sentAtMs),
    }).envelope;
    expect(timeoutMs > 0).toBe(mayBegin);
  });
});

describe('records of other writers', () => {
  const record = { ...arrived(buildReplyRecord('t', to, {})), key: Buffer.from('alice'), offset: '7' };
  const origin = { topic: 'users.state.v1', partition: 2, why: 'It has no key.' };

  it('given a header without a value, when the record is read, then it is refused', () => {
    const headers = { pattern: null } as unknown as IHeaders;
    const missing = new UnreadableRecord('It has no header pattern.');
    expect(() => readEvent(TOPICS.usersState, { ...record, headers } as KafkaMessage)).toThrow(missing);
  });

  it('given a record that is too large for the dead letters, when its dead letter is built, then that names its origin only', () => {
    const { bytesPerBrokerRecord } = LIMITS.kafka;
    const value = Buffer.alloc(bytesPerBrokerRecord - 1_100);
    const letter = buildDeadLetterRecord('dead-letters', { ...record, value }, origin);
    expect(letter).toMatchObject({ key: null, value: null, headers: { 'dead-letter-offset': '7' } });
    expect(letter.headers['dead-letter-reason']).toMatch(
      /^It has no key. It is too large to be kept here \(\d+ bytes\)/,
    );
    const kept = buildDeadLetterRecord('dead-letters', { ...record, value: value.subarray(1_000) }, origin);
    expect(kept.value).toHaveLength(bytesPerBrokerRecord - 2_100);
  });
});
