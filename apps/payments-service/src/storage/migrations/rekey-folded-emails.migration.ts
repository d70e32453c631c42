import type { MigrationInterface, QueryRunner } from 'typeorm';
import { ENVIRONMENT_STORAGE } from '../environments.js';

const [CAPITALS, SMALL] = ['ABCDEFGHIJKLMNOPQRSTUVWXYZ', 'abcdefghijklmnopqrstuvwxyz'];
const OWN_KEY = `
  translate(split_part(target_address, '@', 1), '${CAPITALS}', '${SMALL}') || '@' || split_part(target_key, '@', 2)`;

/**
 * Compares the addresses of payments as `normaliseEmail` of this release does: A to Z are folded before the at, and no
 * other letter. A payment to `mi<U+212A>e@example.com` is none to `mike@example.com`. No status and no wallet changes.
 */
export class RekeyFoldedEmails1795510200000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const { schema } of Object.values(ENVIRONMENT_STORAGE)) {
      await runner.query(`
        update ${schema}.payments set target_key = ${OWN_KEY}
        where target_type = 'email' and target_key is not null and target_address !~ '^[ -~]*$'
          and target_key <> ${OWN_KEY}`);
    }
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const { schema } of Object.values(ENVIRONMENT_STORAGE)) {
      await runner.query(`
        update ${schema}.payments set target_key = lower(target_address)
        where target_type = 'email' and target_key is not null and target_address !~ '^[ -~]*$'`);
    }
  }
}
