import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Sessions hold when their user last typed the password. */
export class SessionSignInTimes1795520000000 implements MigrationInterface {
  name = 'SessionSignInTimes1795520000000';

  async up(runner: QueryRunner): Promise<void> {
    // Null in sessions that instances of the version before begin: long ago, so that these are asked for the password.
    await runner.query('alter table sessions add column authenticated_at timestamptz');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table sessions drop column authenticated_at');
  }
}
