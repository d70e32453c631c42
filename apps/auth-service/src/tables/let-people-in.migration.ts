import type { MigrationInterface, QueryRunner } from 'typeorm';

/** People sign up, prove several addresses and come back with browsers that are known. */
export class LetPeopleIn1795330000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table login_addresses (
        kind text not null check (kind in ('email', 'phone')),
        value text not null,
        user_id bigint not null references credentials on delete cascade,
        proven_at_us bigint not null,
        primary key (kind, value)
      )`);
    await runner.query('create index login_addresses_by_user on login_addresses (user_id)');
    for (const kind of ['email', 'phone']) {
      await runner.query(`
        insert into login_addresses select '${kind}', ${kind}, user_id, extract(epoch from created_at) * 1e6
        from credentials where ${kind} is not null`);
      await runner.query(`alter table credentials drop column ${kind}`);
    }
    await runner.query(`
      create table sign_ups (
        browser_sha256 bytea primary key,
        username text not null,
        first_name text not null,
        last_name text not null,
        email text not null,
        phone text,
        password_hash text not null,
        return_to text not null,
        expires_at timestamptz not null
      )`);
    await runner.query('create index sign_ups_by_expiry on sign_ups (expires_at)');
    await runner.query(`
      create table new_people (
        user_id bigint primary key references credentials on delete cascade,
        username text not null,
        first_name text not null,
        last_name text not null,
        email text not null,
        proven_at_us bigint not null
      )`);
    await runner.query(`
      create table codes (
        id_sha256 bytea primary key,
        mac bytea not null,
        subject text not null,
        tries_left integer not null,
        proven_at_us bigint,
        expires_at timestamptz not null
      )`);
    await runner.query('create index codes_by_expiry on codes (expires_at)');
    await runner.query(`
      create table known_browsers (
        key_sha256 bytea primary key,
        user_id bigint not null references credentials on delete cascade,
        expires_at timestamptz not null
      )`);
    await runner.query('create index known_browsers_by_user on known_browsers (user_id)');
    await runner.query('create index known_browsers_by_expiry on known_browsers (expires_at)');
    await runner.query('create index sessions_by_user on sessions (user_id)');
    await runner.query(`
      create table mailbox_messages (
        id bigint generated always as identity primary key,
        kind text not null,
        sent_to text not null,
        subject text not null,
        text text not null,
        sent_at timestamptz not null
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop index sessions_by_user');
    await runner.query('drop table mailbox_messages, known_browsers, codes, new_people, sign_ups');
    for (const kind of ['email', 'phone']) {
      await runner.query(`alter table credentials add column ${kind} text unique`);
      await runner.query(`
        update credentials set ${kind} = (
          select value from login_addresses address
          where address.user_id = credentials.user_id and kind = '${kind}' order by proven_at_us desc limit 1)`);
    }
    await runner.query('drop table login_addresses');
  }
}
