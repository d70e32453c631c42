import type { MigrationInterface, QueryRunner } from 'typeorm';
import { ENVIRONMENT_STORAGE } from '../environments.js';

const SCHEMAS = Object.values(ENVIRONMENT_STORAGE).map(({ schema }) => schema);

/** A checkpoint names the version of the projection that has written the rows, so that a changed one starts again. */
export class VersionCheckpoints1795580000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const schema of SCHEMAS) {
      await runner.query(`alter table ${schema}.checkpoints add column version int not null default 1`);
    }
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const schema of SCHEMAS) await runner.query(`alter table ${schema}.checkpoints drop column version`);
  }
}
