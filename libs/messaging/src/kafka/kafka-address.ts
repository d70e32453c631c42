import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { SettingsError, type KafkaSettings, type KafkaSignIn, type KafkaTlsFiles, type Secret } from '@settle/config';
import type { KafkaConfig, SASLOptions } from 'kafkajs';
import { createClientCredentialsTokenSource } from './kafka-tokens.js';

/** Address of a cluster, with `ssl` and `sasl` in the form of kafkajs. */
export type KafkaAddress = Pick<KafkaConfig, 'ssl' | 'sasl'> & { readonly brokers: string[] };

/** Returns the cluster's address according to the settings. Error: `SettingsError` for an unreadable file. */
export function toKafkaAddress({ brokers, tls, signIn }: KafkaSettings): KafkaAddress {
  return {
    brokers: [...brokers],
    ...(tls === null ? {} : { ssl: tlsOptions(tls) }),
    ...(signIn === null ? {} : { sasl: saslOptions(signIn) }),
  };
}

function tlsOptions({ ca, certificate, key }: KafkaTlsFiles): NonNullable<KafkaConfig['ssl']> {
  if (ca === null && certificate === null) return true;
  return {
    ...(ca === null ? {} : { ca: contentOf('KAFKA_CA_FILE', ca) }),
    ...(certificate === null ? {} : { cert: contentOf('KAFKA_CLIENT_CERTIFICATE_FILE', certificate) }),
    ...(key === null ? {} : { key: contentOf('KAFKA_CLIENT_KEY_FILE', key) }),
  };
}

const KAFKAJS_MECHANISMS = {
  PLAIN: 'plain',
  'SCRAM-SHA-256': 'scram-sha-256',
  'SCRAM-SHA-512': 'scram-sha-512',
} as const;

function saslOptions(signIn: KafkaSignIn): SASLOptions {
  if (signIn.mechanism !== 'OAUTHBEARER') {
    const { username, mechanism } = signIn;
    const password = secretOf(signIn.password);
    return {
      mechanism: KAFKAJS_MECHANISMS[mechanism],
      username,
      // kafkajs reads it at each sign-in: the file may have changed by then.
      get password() {
        return newestOf(signIn.password, password);
      },
    };
  }
  // The file is replaced when the token is renewed.
  const token =
    'tokenFile' in signIn ? async () => (await readFile(signIn.tokenFile, 'utf8')).trim() : tokensBySecret(signIn);
  return { mechanism: 'oauthbearer', oauthBearerProvider: async () => ({ value: await token() }) };
}

function tokensBySecret(signIn: Extract<KafkaSignIn, { tokenUrl: string }>): () => Promise<string> {
  const clientSecret = secretOf(signIn.clientSecret);
  return createClientCredentialsTokenSource({
    ...signIn,
    // Read for each token: the file may have changed by then.
    get clientSecret() {
      return newestOf(signIn.clientSecret, clientSecret);
    },
  });
}

function secretOf(secret: Secret): string {
  return 'value' in secret ? secret.value : contentOf('KAFKA_PASSWORD_FILE', secret.file).replace(/\r?\n$/, '');
}

/** Returns the newest secret; if the file cannot be read, or is being written, its previous content. */
function newestOf(secret: Secret, otherwise: string): string {
  try {
    return secretOf(secret) || otherwise;
  } catch {
    return otherwise;
  }
}

function contentOf(setting: string, file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new SettingsError([`${setting}: the file cannot be read: ${(error as Error).message}`]);
  }
}
