import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Adds to each login address the spelling that messages go to. Users-service has those of the e-mails on file. */
export class KeepAddressSpellings1795510000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // Instances of the version before add rows without it.
    await runner.query('alter table login_addresses add column spelling text');
    await runner.query(`update login_addresses set spelling = value where kind = 'phone'`);
    await runner.query(`
      create index login_addresses_without_spelling on login_addresses (user_id)
      where spelling is null and kind = 'email'`);
    // Before this, a code went to the address as typed and counted for another that differs in a letter beyond ASCII.
    await runner.query('delete from codes');
    await runner.query(`delete from sign_ups where email !~ '^[ -~]*$'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop index login_addresses_without_spelling');
    await runner.query('alter table login_addresses drop column spelling');
  }
}
