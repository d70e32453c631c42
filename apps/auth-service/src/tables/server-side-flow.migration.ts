import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What the server-side flow keeps. Whatever an app holds for a user hangs on one authorization, and ends with it. */
export class ServerSideFlow1795340000000 implements MigrationInterface {
  name = 'ServerSideFlow1795340000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table apps
        alter column secret_sha256 drop not null,
        add column builds_addresses boolean not null default false,
        add column takes_tokens boolean not null default true,
        add column deleted_at timestamptz`);
    await runner.query('create index apps_by_owner on apps (owner_id)');
    await runner.query(`
      create table authorizations (
        id uuid primary key,
        app_id text not null references apps on delete cascade,
        user_id bigint not null references credentials on delete cascade,
        scopes text[] not null,
        connected_at timestamptz not null,
        last_used_at timestamptz,
        ends_at timestamptz not null,
        revoked_at timestamptz
      )`);
    await runner.query('create index authorizations_by_user on authorizations (user_id, app_id)');
    await runner.query('create index authorizations_by_app on authorizations (app_id) where revoked_at is null');
    await runner.query('create index authorizations_by_end on authorizations (ends_at)');
    await this.#hangTokensOnAuthorizations(runner);
    await runner.query(`
      create table authorization_codes (
        sha256 bytea primary key,
        authorization_id uuid not null references authorizations on delete cascade,
        redirect_uri text,
        challenge text,
        expires_at timestamptz not null,
        used_at timestamptz
      )`);
    await runner.query('create index authorization_codes_by_authorization on authorization_codes (authorization_id)');
    await runner.query(`
      create table refresh_tokens (
        sha256 bytea primary key,
        authorization_id uuid not null references authorizations on delete cascade,
        expires_at timestamptz not null,
        used_at timestamptz
      )`);
    await runner.query('create index refresh_tokens_by_authorization on refresh_tokens (authorization_id)');
    await runner.query('create index refresh_tokens_by_expiry on refresh_tokens (expires_at)');
    await runner.query(`
      create table consents (
        user_id bigint not null references credentials on delete cascade,
        app_id text not null references apps on delete cascade,
        redirect_uri text not null,
        scopes text[] not null,
        given_at timestamptz not null,
        primary key (user_id, app_id, redirect_uri)
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table consents, refresh_tokens, authorization_codes');
    await runner.query('alter table tokens drop column authorization_id');
    await runner.query('drop table authorizations');
    await runner.query('delete from apps where secret_sha256 is null or deleted_at is not null');
    await runner.query(`
      alter table apps
        alter column secret_sha256 set not null,
        drop column builds_addresses, drop column takes_tokens, drop column deleted_at`);
    await runner.query('drop index apps_by_owner');
  }

  /** Each token that is there gets an authorization of its own. */
  async #hangTokensOnAuthorizations(runner: QueryRunner): Promise<void> {
    await runner.query('alter table tokens add column authorization_id uuid not null default gen_random_uuid()');
    await runner.query(`
      insert into authorizations (id, app_id, user_id, scopes, connected_at, ends_at, revoked_at)
      select authorization_id, app_id, user_id, scopes, issued_at, expires_at, revoked_at from tokens`);
    await runner.query('alter table tokens alter column authorization_id drop default');
    await runner.query(`
      alter table tokens add constraint tokens_authorization
        foreign key (authorization_id) references authorizations on delete cascade`);
    await runner.query('create index tokens_by_authorization on tokens (authorization_id)');
  }
}
