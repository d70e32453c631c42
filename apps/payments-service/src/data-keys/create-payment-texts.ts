import { SettingsError, type Settings } from '@settle/config';
import type { Pool } from 'pg';
import { DataKeys } from './data-keys.js';
import { PaymentTexts } from './payment-texts.js';
import { WrappingKeys } from './wrapping-keys.js';

/** One row for each wrapping key in use, and one for all destroyed keys. */
const SAMPLES = `
  select distinct on (wrapped_with) user_id as "userId", wrapped_with as "wrappedWith", wrapped
  from data_keys order by wrapped_with, user_id`;
const BEGIN = 'insert into text_encryption default values on conflict do nothing';

interface Sample {
  readonly userId: string;
  readonly wrappedWith: string | null;
  readonly wrapped: Buffer | null;
}

/**
 * Returns the notes and addresses of payments as the settings encrypt them. Errors: `SettingsError` in production without
 * `DATA_KEY`, and if it does not have every key with which stored keys are wrapped.
 * @param pool sees the live tables
 * @param isOnlyProcess no process of an earlier version runs, so that encryption begins
 */
export async function createPaymentTexts(
  { dataKey, nodeEnv }: Pick<Settings, 'dataKey' | 'nodeEnv'>,
  pool: Pool,
  isOnlyProcess = false,
): Promise<PaymentTexts> {
  const { rows } = await pool.query<Sample>(SAMPLES);
  if (dataKey === null) {
    const reason =
      nodeEnv === 'production' ? 'it is needed in production' : 'notes here are encrypted, so it is needed';
    if (nodeEnv === 'production' || rows.length > 0) {
      throw new SettingsError([`DATA_KEY_FILE: ${reason}; write one with openssl rand -base64 32`]);
    }
    return new PaymentTexts(null, pool);
  }
  if (isOnlyProcess) await beginEncryption(pool);
  const wrapping = new WrappingKeys(dataKey);
  for (const { userId, wrappedWith, wrapped } of rows) {
    if (wrappedWith !== null && wrapped !== null) wrapping.unwrap(userId, { wrappedWith, wrapped });
  }
  return new PaymentTexts(new DataKeys(pool, wrapping), pool);
}

/** From now on notes and addresses are encrypted, in every process that has a key. Earlier versions must not run any more. */
export async function beginEncryption(pool: Pick<Pool, 'query'>): Promise<void> {
  await pool.query(BEGIN);
}
