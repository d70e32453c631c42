import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The refresh tokens of an authorization end together; an app may insist on PKCE. */
export class RefreshFamilies1795520200000 implements MigrationInterface {
  name = 'RefreshFamilies1795520200000';

  async up(runner: QueryRunner): Promise<void> {
    // Those from before begin now: none ends at once. Instances of the version before leave the column out.
    await runner.query('alter table authorizations add column begun_at timestamptz not null default now()');
    await runner.query('alter table apps add column requires_pkce boolean not null default false');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table apps drop column requires_pkce');
    await runner.query('alter table authorizations drop column begun_at');
  }
}
