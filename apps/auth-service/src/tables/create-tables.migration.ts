import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreateAuthTables1767225600000 implements MigrationInterface {
  name = 'CreateAuthTables1767225600000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table credentials (
        user_id bigint primary key,
        username text not null unique,
        email text unique,
        phone text unique,
        password_hash text not null,
        created_at timestamptz not null default now()
      )`);
    await runner.query(`
      create table apps (
        client_id text primary key,
        secret_sha256 bytea not null,
        name text not null,
        description text not null,
        site_url text not null,
        redirect_urls text[] not null,
        owner_id bigint not null,
        created_at timestamptz not null default now()
      )`);
    await runner.query(`
      create table tokens (
        sha256 bytea primary key,
        app_id text not null references apps on delete cascade,
        user_id bigint not null references credentials on delete cascade,
        scopes text[] not null,
        issued_at timestamptz not null,
        expires_at timestamptz not null,
        revoked_at timestamptz,
        revocation_published_at timestamptz
      )`);
    await runner.query('create index tokens_by_expiry on tokens (expires_at)');
    await runner.query('create index tokens_by_user on tokens (user_id, app_id)');
    await runner.query(`
      create index tokens_to_publish on tokens (revoked_at)
      where revoked_at is not null and revocation_published_at is null`);
    await runner.query(`
      create table sessions (
        id_sha256 bytea primary key,
        user_id bigint not null references credentials on delete cascade,
        last_seen_at timestamptz not null,
        expires_at timestamptz not null
      )`);
    await runner.query('create index sessions_by_expiry on sessions (expires_at)');
    await runner.query(`
      create table consent_requests (
        id_sha256 bytea primary key,
        session_sha256 bytea not null references sessions on delete cascade,
        query text not null,
        redirect_uri text not null,
        expires_at timestamptz not null
      )`);
    await runner.query('create index consent_requests_by_session on consent_requests (session_sha256)');
    await runner.query('create index consent_requests_by_expiry on consent_requests (expires_at)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table consent_requests, sessions, tokens, apps, credentials');
  }
}
