import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Whether a user allowed all that an app asked for. Of codes of the version before that is not known, and their apps are
 * told what was allowed.
 */
export class KeepWhatWasAsked1795550000000 implements MigrationInterface {
  name = 'KeepWhatWasAsked1795550000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('alter table authorization_codes add column is_whole boolean not null default false');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table authorization_codes drop column is_whole');
  }
}
