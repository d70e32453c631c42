import kafkajs, { type PartitionMetadata } from 'kafkajs';

const partitioner = kafkajs.Partitioners.DefaultPartitioner();
const knownCounts = new Map<number, PartitionMetadata[]>();

/** Returns the partition of a key's records in a topic with this many, as the producer's own partitioner does. */
export function computePartition(key: string, partitions: number): number {
  let partitionMetadata = knownCounts.get(partitions);
  if (partitionMetadata === undefined) {
    partitionMetadata = Array.from({ length: partitions }, (_, partitionId) => aPartition(partitionId));
    knownCounts.set(partitions, partitionMetadata);
  }
  return partitioner({ topic: '', partitionMetadata, message: { key, value: null } });
}

function aPartition(partitionId: number): PartitionMetadata {
  return { partitionId, partitionErrorCode: 0, leader: 0, replicas: [], isr: [], offlineReplicas: [] };
}
