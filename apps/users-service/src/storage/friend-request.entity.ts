import { Entity, PrimaryColumn } from 'typeorm';

/** A friend request that waits for a response. */
@Entity('friend_requests')
export class FriendRequest {
  @PrimaryColumn('bigint', { name: 'from_id' })
  fromId: string;

  @PrimaryColumn('bigint', { name: 'to_id' })
  toId: string;
}
