import { SettingsError, type NodeEnv } from '@settle/config';
import type { Pool } from 'pg';

/** The table with one row that says whether a database was used with a provider that moves real money. */
export const PROVIDER_MODE_TABLE = 'provider_mode';

type ProviderMode = 'test' | 'live';

const MARK = `insert into ${PROVIDER_MODE_TABLE} (mode) values ($1) on conflict do nothing`;
const READ = `select mode from ${PROVIDER_MODE_TABLE}`;

export interface ProviderUse {
  /** Whether the provider moves real money, as it says itself. */
  readonly isLive: boolean;
  readonly nodeEnv: NodeEnv;
  /** Setting `ALLOW_TEST_PROVIDER`. */
  readonly allowTestProvider: boolean;
}

/**
 * Marks a database with the kind of the first provider that it uses, before that is used. Error: `SettingsError` if the
 * provider must not be used with this database: test money and real money never meet in one ledger.
 */
export async function requireProviderMode(
  pool: Pick<Pool, 'query'>,
  { isLive, nodeEnv, allowTestProvider }: ProviderUse,
): Promise<void> {
  const isProduction = nodeEnv === 'production';
  if (isProduction && !isLive && !allowTestProvider) {
    throw refusal(
      'the provider moves no real money (live: false), and this is production; write the address of a live one. ' +
        'ALLOW_TEST_PROVIDER=true uses it all the same, and this database then never takes a live provider',
    );
  }
  if (!isProduction && isLive) {
    throw refusal(
      'the provider moves real money (live: true), and this is not production; write that of a test provider',
    );
  }
  const mode: ProviderMode = isLive ? 'live' : 'test';
  await pool.query(MARK, [mode]);
  const { rows } = await pool.query<{ mode: ProviderMode }>(READ);
  const stored = rows[0]?.mode;
  if (stored !== mode) {
    throw refusal(
      `the provider is a ${mode} one, and this database was used with a ${stored} one; take the former provider, or new ` +
        'databases (docs/operations.md, Payment provider)',
    );
  }
}

function refusal(problem: string): SettingsError {
  return new SettingsError([`FUNDING_PROVIDER_URL: ${problem}`]);
}
