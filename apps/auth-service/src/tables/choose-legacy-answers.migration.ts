import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Apps may choose answers in the form of the former interface. Those that are there keep the answers that they have. */
export class ChooseLegacyAnswers1795550100000 implements MigrationInterface {
  name = 'ChooseLegacyAnswers1795550100000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('alter table apps add column legacy_answers boolean not null default false');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table apps drop column legacy_answers');
  }
}
