import type { MigrationInterface, QueryRunner } from 'typeorm';
import { ENVIRONMENT_STORAGE } from '../environments.js';

const TWINS_OF_OTHER_NAMES = `
  select twin.relname as name, own.relname as real_name
  from pg_index i join pg_class own on own.oid = i.indexrelid join pg_class t on t.oid = i.indrelid
  join pg_class u on u.relname = t.relname join pg_index j on j.indrelid = u.oid
  join pg_class twin on twin.oid = j.indexrelid
  where t.relnamespace = $1::text::regnamespace and u.relnamespace = $2::text::regnamespace
    and regexp_replace(pg_get_indexdef(i.indexrelid), '^.* USING ', '')
      = regexp_replace(pg_get_indexdef(j.indexrelid), '^.* USING ', '')
    and twin.relname <> own.relname`;

/** The sandbox's indexes were named by the server: now as the real ones are, so that a change of those finds them too. */
export class NameSandboxIndexes1795360000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    const { live, sandbox } = ENVIRONMENT_STORAGE;
    const twins = (await runner.query(TWINS_OF_OTHER_NAMES, [live.schema, sandbox.schema])) as {
      name: string;
      real_name: string;
    }[];
    for (const { name, real_name: realName } of twins) {
      await runner.query(`alter index ${sandbox.schema}."${name}" rename to "${realName}"`);
    }
  }

  /** The names may stay: nothing that came before refers to them. */
  async down(): Promise<void> {}
}
