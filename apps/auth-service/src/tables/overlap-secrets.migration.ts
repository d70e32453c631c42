import type { MigrationInterface, QueryRunner } from 'typeorm';

/** An app's secret before the newest, which works until its developer ends it. When a secret from before was made is unknown. */
export class OverlapSecrets1795580000000 implements MigrationInterface {
  name = 'OverlapSecrets1795580000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table apps
        add column secret_made_at timestamptz,
        add column former_secret_sha256 bytea,
        add column former_secret_made_at timestamptz`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      alter table apps
        drop column former_secret_made_at, drop column former_secret_sha256, drop column secret_made_at`);
  }
}
