import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

/** A request that a caller gave a key: what it stands for here, and what was answered. */
@Entity({ name: 'idempotency_keys' })
export class IdempotencyKeyRow {
  @PrimaryColumn('bigint')
  user_id: string;

  @PrimaryColumn('text')
  app_id: string;

  @PrimaryColumn('text')
  environment: string;

  @PrimaryColumn('text')
  key: string;

  @Column('text')
  request_hash: string;

  @Column('uuid')
  command_id: string;

  @Column('bigint')
  payment_id: string;

  /** Microseconds since 1970. */
  @Index('idempotency_keys_by_age')
  @Column('bigint')
  created_at_us: string;

  /** Whoever wrote the row is not, or not alone, at work on it. */
  @Column('boolean')
  is_taken_over: boolean;

  /** Null: none yet. As text keeps it, which a note may need. */
  @Column('json', { nullable: true })
  answer: object | null;
}
