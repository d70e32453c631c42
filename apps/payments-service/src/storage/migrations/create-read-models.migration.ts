import type { MigrationInterface, QueryRunner } from 'typeorm';

const UP = [
  `create table payments (
    id bigint primary key,
    status text not null,
    mode text not null,
    action text not null,
    amount_cents bigint not null check (amount_cents > 0),
    fee_cents bigint not null check (fee_cents >= 0),
    audience text not null,
    medium text not null,
    actor_id bigint not null,
    target_type text not null,
    target_user_id bigint,
    target_address text,
    target_key text,
    created_us bigint not null,
    completed_us bigint,
    refund_id bigint,
    refund_of bigint,
    revision int not null,
    note text not null
  )`,
  'create index payments_of_actor on payments (actor_id, created_us, id)',
  'create index payments_of_target on payments (target_user_id, created_us, id)',
  `create index payments_of_address on payments (target_type, target_key, created_us, id) where target_user_id is null`,
  `create index payments_held on payments (id) where status = 'pending' and mode = 'hold'`,
  `create table ledger_entries (
    wallet_id bigint not null,
    revision int not null,
    payment_id bigint,
    event_type text not null,
    debit_account text not null,
    credit_account text not null,
    amount_cents bigint not null check (amount_cents >= 0),
    balance_cents bigint not null check (balance_cents >= 0),
    attempt int,
    source_id text,
    primary key (wallet_id, revision)
  )`,
  'create index ledger_entries_of_payment on ledger_entries (payment_id)',
  `create table fee_entries (
    payment_id bigint primary key,
    debit_account text not null,
    credit_account text not null,
    amount_cents bigint not null check (amount_cents > 0)
  )`,
  `create table open_work (
    payment_id bigint not null,
    act text not null,
    owner_id bigint not null,
    since_us bigint not null,
    primary key (payment_id, act)
  )`,
  'create index open_work_of_act on open_work (act, since_us)',
  'create table checkpoints (name text primary key, position bigint not null) with (fillfactor = 10)',
  // Raises when another projector has moved it: then the rows of this transaction are not ours to write.
  `create function move_checkpoint(projection text, from_position bigint, to_position bigint) returns void
   language plpgsql as $$
   begin
     update checkpoints set position = to_position where name = projection and position = from_position;
     if not found then raise exception 'checkpoint % is not at %', projection, from_position; end if;
   end $$`,
  'create table known_users (user_id bigint primary key, version int not null, record jsonb not null)',
  `create table known_pairs (
    low bigint not null,
    high bigint not null,
    version int not null,
    record jsonb not null,
    primary key (low, high)
  )`,
  'create index known_pairs_of_high on known_pairs (high)',
  `create table known_addresses (
    kind text not null,
    value text not null,
    user_id bigint not null,
    proven_at_us bigint not null,
    primary key (kind, value, user_id)
  )`,
  'create index known_addresses_of_user on known_addresses (user_id)',
];

const DOWN = [
  'payments',
  'ledger_entries',
  'fee_entries',
  'open_work',
  'checkpoints',
  'known_users',
  'known_pairs',
  'known_addresses',
];

/** Read models, the journal, the worker's rows, and the copy of the people. */
export class CreateReadModels1795250000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const statement of UP) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop function move_checkpoint');
    for (const table of DOWN) await runner.query(`drop table ${table}`);
  }
}
