import { createOutboxTable, dropOutboxTable } from '@settle/postgres';
import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreatePeople1795200000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table users (
        id bigint primary key,
        username text not null,
        first_name text not null,
        last_name text not null,
        display_name text not null,
        about text not null,
        picture_url text,
        email text,
        email_normalised text,
        phone text,
        joined_at_us bigint not null,
        default_audience text not null check (default_audience in ('public', 'friends', 'private')),
        is_business boolean not null,
        legacy_access boolean not null,
        verified boolean not null,
        is_frozen boolean not null,
        funding_source_id text,
        version integer not null,
        check ((email is null) = (email_normalised is null))
      )`);
    await runner.query('create unique index users_by_username on users (lower(username))');
    await runner.query(`
      create table proven_addresses (
        kind text not null check (kind in ('email', 'phone')),
        value text not null,
        user_id bigint not null references users (id),
        proven_at_us bigint not null,
        primary key (kind, value)
      )`);
    await runner.query('create index proven_addresses_by_user on proven_addresses (user_id)');
    await runner.query(`
      create table pairs (
        low bigint not null references users (id),
        high bigint not null references users (id),
        are_friends boolean not null,
        low_trusts_high boolean not null,
        high_trusts_low boolean not null,
        low_blocks_high boolean not null,
        high_blocks_low boolean not null,
        version integer not null,
        primary key (low, high),
        check (low < high)
      )`);
    // A person's friends are two ordered halves: smaller ids, in which they are high, then greater ones.
    await runner.query('create index friends_by_low on pairs (low, high) where are_friends');
    await runner.query('create index friends_by_high on pairs (high, low) where are_friends');
    // The public address in which picture links were announced last; at most one row.
    await runner.query('create table announced_address (public_url text primary key)');
    await createOutboxTable(runner);
  }

  async down(runner: QueryRunner): Promise<void> {
    await dropOutboxTable(runner);
    await runner.query('drop table announced_address, pairs, proven_addresses, users');
  }
}
