import { randomBytes } from 'node:crypto';
import type { EnvironmentVariables, Settings } from '@settle/config';
import { getOrCreateSecret } from '@settle/postgres';

const SECRET_NAME = 'data_key';
const KEY_BYTES = 32;

/** The setting by which payments-service gets a key that it has not from the operator. */
type DataKeySetting = { readonly DATA_KEY?: string };

/** Returns the key of this installation, which the first call keeps in the data folder. Nothing in production, or if the operator sets one. */
export async function prepareDataKey({
  dataKey,
  nodeEnv,
  dataDir,
}: Pick<Settings, 'dataKey' | 'nodeEnv' | 'dataDir'>): Promise<DataKeySetting> {
  if (dataKey !== null || nodeEnv === 'production') return {};
  return {
    DATA_KEY: await getOrCreateSecret(dataDir, SECRET_NAME, () => randomBytes(KEY_BYTES).toString('base64')),
  };
}

/** Returns the setting `DATA_KEY` that is kept in a data folder, for an operator's command; nothing if `env` has one or none is kept. */
export async function readDataKey(dataDir: string, env: EnvironmentVariables): Promise<DataKeySetting> {
  const isSet = ['DATA_KEY', 'DATA_KEY_FILE'].some((name) => (env[name] ?? '').trim() !== '');
  if (isSet) return {};
  const none = new Error(`${dataDir} holds no key`);
  return getOrCreateSecret(dataDir, SECRET_NAME, () => {
    throw none;
  }).then(
    (key) => ({ DATA_KEY: key }),
    (error: unknown) => {
      if (error === none) return {};
      throw error;
    },
  );
}
