import { createRequire } from 'node:module';
import fc from 'fast-check';
import { patchKafkajs } from './kafkajs-patches.js';
import { encodeRecord, type EncodedRecord, type RecordToEncode } from './record-encoder.js';

const require = createRequire(import.meta.url);
const RECORD = 'kafkajs/src/protocol/recordBatch/record/v0';
const PRODUCE = 'kafkajs/src/protocol/requests/produce/v3/request';
/** Loaded before the patch. */
const encodeByKafkajs = require(RECORD) as (record: RecordToEncode) => EncodedRecord;

const contents = fc.oneof(fc.string({ unit: 'binary', maxLength: 300 }), fc.uint8Array().map(Buffer.from));
const keys = fc.option(contents, { nil: null });
const records: fc.Arbitrary<RecordToEncode> = fc.record({
  offsetDelta: fc.nat(),
  timestampDelta: fc.integer({ min: -(2 ** 50), max: 2 ** 50 }),
  key: keys,
  value: keys,
  headers: fc.dictionary(fc.string({ unit: 'binary' }), fc.oneof(contents, fc.array(contents, { maxLength: 3 }))),
});

describe('encodeRecord', () => {
  it('given any record, when it is encoded, then the bytes are those of kafkajs', () => {
    fc.assert(
      fc.property(records, (record) => {
        expect(encodeRecord(record).buffer.equals(encodeByKafkajs(record).buffer)).toBe(true);
      }),
    );
  });

  it('given a record with nothing but a value, when it is encoded, then the bytes are those of kafkajs', () => {
    const record = { value: Buffer.from('{}') };
    expect(encodeRecord(record).buffer.equals(encodeByKafkajs(record).buffer)).toBe(true);
  });

  it('given a header without a value, when it is encoded, then its length is that of null', () => {
    // kafkajs cannot encode it. Length, attributes, deltas, key, value, one header: "h", null.
    const bytes = [18, 0, 0, 0, 1, 1, 2, 2, 'h'.charCodeAt(0), 1];
    expect([...encodeRecord({ headers: { h: null } }).buffer]).toEqual(bytes);
  });

  it('given the patched kafkajs, when it encodes a request, then it does so with this encoder', async () => {
    patchKafkajs();
    expect(require(RECORD)).toBe(encodeRecord);
    const request = require(PRODUCE) as (of: object) => { encode(): Promise<EncodedRecord> };
    const value = Buffer.from('the value of a record');
    const partitions = [{ partition: 0, firstSequence: 0, messages: [{ key: 'k', value, headers: { h: 'v' } }] }];
    const { buffer } = await request({ acks: -1, timeout: 1, topicData: [{ topic: 't', partitions }] }).encode();
    expect(buffer.includes(encodeRecord({ key: 'k', value, headers: { h: 'v' } }).buffer)).toBe(true);
  });
});
