import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** One payment, for its own page and for the lists of its two parties. Money is cents, times are microseconds. */
@Entity({ name: 'payments' })
@Index('payments_of_actor', ['actor_id', 'created_us', 'id'])
@Index('payments_of_target', ['target_user_id', 'created_us', 'id'])
@Index('payments_of_address', ['target_type', 'target_key', 'created_us', 'id'], { where: 'target_user_id is null' })
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
