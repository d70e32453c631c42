import { Entity, PrimaryColumn } from 'typeorm';

/** Somebody asks somebody else to become a friend, and waits for an answer. */
@Entity('friend_requests')
export class FriendRequest {
  @PrimaryColumn('bigint', { name: 'from_id' })
  fromId: string;

  @PrimaryColumn('bigint', { name: 'to_id' })
  toId: string;
}
