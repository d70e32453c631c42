import type { MigrationInterface, QueryRunner } from 'typeorm';
import { ENVIRONMENT_STORAGE } from '../environments.js';

const SCHEMAS = Object.values(ENVIRONMENT_STORAGE).map(({ schema }) => schema);

const UP = (schema: string): readonly string[] => [
  `create table ${schema}.payout_entries (
    withdrawal_id text primary key,
    debit_account text not null,
    credit_account text not null,
    amount_cents bigint not null check (amount_cents > 0)
  )`,
  `create table ${schema}.funding (
    kind text not null,
    id text not null,
    user_id bigint,
    payment_id bigint,
    amount_cents bigint,
    source_id text,
    status text not null,
    reason text,
    created_us bigint not null,
    act text,
    due_us bigint,
    primary key (kind, id)
  )`,
  `create index funding_due on ${schema}.funding (due_us) where due_us is not null`,
  `create index funding_of_user on ${schema}.funding (user_id, created_us)`,
];

/** Deposits, withdrawals, reversals and contradictions, and the journal's lines of payouts. */
export class CreateFunding1795710000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of SCHEMAS.flatMap(UP)) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const schema of SCHEMAS) await runner.query(`drop table ${schema}.funding, ${schema}.payout_entries`);
  }
}
