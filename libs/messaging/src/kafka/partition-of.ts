import kafkajs, { type PartitionMetadata } from 'kafkajs';

const partitioner = kafkajs.Partitioners.DefaultPartitioner();
const metadataOfCount = new Map<number, PartitionMetadata[]>();

/** Returns the partition of a key's records in a topic with this many, as the producer's own partitioner does. */
export function computePartition(key: string, partitions: number): number {
  let partitionMetadata = metadataOfCount.get(partitions);
  if (partitionMetadata === undefined) {
    const available = { partitionErrorCode: 0, leader: 0, replicas: [], isr: [], offlineReplicas: [] };
    partitionMetadata = Array.from({ length: partitions }, (_, partitionId) => ({ partitionId, ...available }));
    metadataOfCount.set(partitions, partitionMetadata);
  }
  return partitioner({ topic: '', partitionMetadata, message: { key, value: null } });
}
