import type { MigrationInterface, QueryRunner } from 'typeorm';

const TABLES = [
  `create table books (
    last_cursor bigint not null,
    -- The key of fingerprints of cards.
    fingerprint_key text not null
  )`,
  `create unique index books_is_one on books ((true))`,
  `insert into books (last_cursor, fingerprint_key) values (0, gen_random_uuid()::text || gen_random_uuid()::text)`,
  `create table objects (
    kind text not null check (kind in ('charge', 'repayment', 'payout', 'reversal', 'source')),
    key text not null,
    id text not null unique,
    state text not null,
    -- Null: a source.
    amount_cents bigint check (amount_cents > 0),
    version integer not null,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    code text,
    -- Null: the user has nothing to do on a page.
    action_expires_at timestamptz,
    -- What a request for the same key must repeat. Null: the provider made the object itself (a reversal).
    content text,
    -- Of a repayment and a reversal.
    charge_key text,
    details jsonb not null,
    primary key (kind, key)
  )`,
  `create index objects_of_charge on objects (charge_key) where charge_key is not null`,
  `create table refused_keys (
    kind text not null,
    key text not null,
    refused_at timestamptz not null,
    primary key (kind, key)
  )`,
  `create table changes (
    cursor bigint primary key,
    kind text not null,
    key text not null,
    version integer not null,
    changed_at timestamptz not null
  )`,
  `create table bookings (
    number bigint generated always as identity primary key,
    kind text not null check (kind in ('charge', 'repayment', 'payout', 'payout_return', 'reversal', 'reversal_won')),
    key text not null,
    object_id text not null,
    cents bigint not null check (cents > 0),
    state text not null,
    booked_at timestamptz not null
  )`,
  `create index bookings_in_time on bookings (booked_at, number)`,
  `create table scheduled_steps (
    number bigint generated always as identity primary key,
    kind text not null,
    key text not null,
    step jsonb not null,
    due_at timestamptz not null
  )`,
  `create index scheduled_steps_due on scheduled_steps (due_at, number)`,
  `create table callbacks (
    id uuid primary key,
    body text not null,
    created_at timestamptz not null,
    attempts integer not null default 0,
    due_at timestamptz not null
  )`,
  `create index callbacks_due on callbacks (due_at)`,
];

/** The books of the provider: objects, their changes in order, and the bookings that statements list. */
export class CreateBooks1795500000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of TABLES) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of ['callbacks', 'scheduled_steps', 'bookings', 'changes', 'refused_keys', 'objects', 'books']) {
      await runner.query(`drop table ${table}`);
    }
  }
}
