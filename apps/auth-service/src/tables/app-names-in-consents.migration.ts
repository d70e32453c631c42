import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Consent holds for an app under the name that the user saw; addresses of plain http run out. */
export class AppNamesInConsents1795520300000 implements MigrationInterface {
  name = 'AppNamesInConsents1795520300000';

  async up(runner: QueryRunner): Promise<void> {
    // Null, in rows of instances of the version before: asked again once.
    await runner.query('alter table consents add column app_name text');
    await runner.query('update consents set app_name = apps.name from apps where client_id = app_id');
    await runner.query('alter table consent_requests add column app_name text');
    await runner.query('alter table apps add column http_redirects_until timestamptz');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table apps drop column http_redirects_until');
    await runner.query('alter table consent_requests drop column app_name');
    await runner.query('alter table consents drop column app_name');
  }
}
