import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** Lists are read from the ends of ranges, one for each status and action asked for. */
const KIND_AND_ORDER = ['status', 'action', 'created_us', 'id'];
const TO_NOBODY_YET = "status = 'pending' and target_user_id is null";

/** One payment, for its own page and for the lists of its two parties. Money is cents, times are microseconds. */
@Entity({ name: 'payments' })
@Index('payments_of_actor', ['actor_id', ...KIND_AND_ORDER], { where: 'refund_of is null' })
@Index('payments_of_target', ['target_user_id', ...KIND_AND_ORDER], { where: 'actor_id <> target_user_id' })
@Index('payments_of_pair', ['target_user_id', 'actor_id', ...KIND_AND_ORDER], { where: 'actor_id <> target_user_id' })
@Index('payments_of_address', ['target_type', 'target_key', 'action', 'created_us', 'id'], { where: TO_NOBODY_YET })
@Index('payments_of_actor_and_address', ['target_type', 'target_key', 'actor_id', 'action', 'created_us', 'id'], {
  where: TO_NOBODY_YET,
})
@Index('payments_held', ['id'], { where: "status = 'pending' and mode = 'hold'" })
export class PaymentRow {
  @PrimaryColumn('bigint')
  id: string;

  @Column('text')
  status: string;

  @Column('text')
  mode: string;

  @Column('text')
  action: string;

  @Column('bigint')
  amount_cents: string;

  @Column('bigint')
  fee_cents: string;

  @Column('text')
  audience: string;

  @Column('text')
  medium: string;

  @Column('bigint')
  actor_id: string;

  @Column('text')
  target_type: string;

  @Column('bigint', { nullable: true })
  target_user_id: string | null;

  /** As its sender spelt it. */
  @Column('text', { nullable: true })
  target_address: string | null;

  /** In the form in which addresses are compared. */
  @Column('text', { nullable: true })
  target_key: string | null;

  @Column('bigint')
  created_us: string;

  @Column('bigint', { nullable: true })
  completed_us: string | null;

  @Column('bigint', { nullable: true })
  refund_id: string | null;

  @Column('bigint', { nullable: true })
  refund_of: string | null;

  @Column('int')
  revision: number;

  @Column('text')
  note: string;
}
