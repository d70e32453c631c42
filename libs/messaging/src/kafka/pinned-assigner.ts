import kafkajs, { type PartitionAssigner } from 'kafkajs';

const { MemberAssignment, MemberMetadata } = kafkajs.AssignerProtocol;
const NOTHING = Buffer.alloc(0);

/** Assigns the same partitions to every member of a group, which should have one member. */
export function createPinnedAssigner(topic: string, partitions: readonly number[]): PartitionAssigner {
  const memberAssignment = MemberAssignment.encode({
    version: 1,
    assignment: { [topic]: [...partitions] },
    userData: NOTHING,
  });
  return () => ({
    name: 'pinned',
    version: 1,
    assign: async ({ members }) => members.map(({ memberId }) => ({ memberId, memberAssignment })),
    protocol: ({ topics }) => ({
      name: 'pinned',
      metadata: MemberMetadata.encode({ version: 1, topics, userData: NOTHING }),
    }),
  });
}
