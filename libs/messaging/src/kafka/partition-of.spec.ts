import fc from 'fast-check';
import kafkajs from 'kafkajs';
import { computePartition } from './partition-of.js';

const PARTITIONS = 1_000;
const available = { partitionErrorCode: 0, leader: 0, replicas: [], isr: [], offlineReplicas: [] };
const partitionMetadata = Array.from({ length: PARTITIONS }, (_, partitionId) => ({ partitionId, ...available }));
const chooseByKafkajs = kafkajs.Partitioners.DefaultPartitioner();

describe('computePartition', () => {
  it('given the keys of another client, when hashed, then they lie where that client puts them', () => {
    // From the hash function of Kafka's own Java client: murmur2 of 'abc' is 479470107, of '' 275646681.
    expect(computePartition('abc', 12)).toBe(479470107 % 12);
    expect(computePartition(Buffer.from('abc'), 12)).toBe(479470107 % 12);
    expect(computePartition('', 12)).toBe(275646681 % 12);
  });

  it('given any key, when hashed, then it lies where kafkajs puts it', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 50 }), (key) => {
        const message = { key, value: null };
        expect(computePartition(key, PARTITIONS)).toBe(chooseByKafkajs({ topic: '', partitionMetadata, message }));
      }),
    );
  });
});
