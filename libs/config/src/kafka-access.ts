import type { SettingsReader } from './settings-reader.js';
import { SETTINGS_TABLE as TABLE } from './settings-table.js';

/** How a service signs in to the brokers by SASL. Holds passwords: never log it. */
export type KafkaSignIn =
  | {
      readonly mechanism: 'PLAIN' | 'SCRAM-SHA-256' | 'SCRAM-SHA-512';
      readonly username: string;
      readonly password: Secret;
    }
  | { readonly mechanism: 'OAUTHBEARER'; readonly tokenFile: string }
  | {
      readonly mechanism: 'OAUTHBEARER';
      readonly tokenUrl: string;
      readonly clientId: string;
      readonly clientSecret: Secret;
      readonly scope: string | null;
    };

/** A secret, or the file that holds it. */
export type Secret = { readonly value: string } | { readonly file: string };

/** Files in PEM that TLS needs beyond the authorities that Node knows. */
export interface KafkaTlsFiles {
  readonly ca: string | null;
  readonly certificate: string | null;
  readonly key: string | null;
}

/** How Apache Kafka is reached. Holds a password: never log it. */
export interface KafkaSettings {
  /** `host:port` each; empty in the embedded shape. */
  readonly brokers: readonly string[];
  /** The setting of the stack's managed broker. */
  readonly port: number;
  /** Empty: none. */
  readonly topicPrefix: string;
  readonly replicationFactor: number;
  readonly sessionTimeoutMs: number;
  /** Null: connects without TLS. */
  readonly tls: KafkaTlsFiles | null;
  /** Null: signs in by a client certificate, or not at all. */
  readonly signIn: KafkaSignIn | null;
}

export function readKafka(read: SettingsReader): KafkaSettings {
  return {
    brokers: Object.freeze([...(read.value(TABLE.kafkaBrokers) ?? [])]),
    port: read.required(TABLE.kafkaPort),
    topicPrefix: read.value(TABLE.kafkaTopicPrefix) ?? '',
    replicationFactor: read.required(TABLE.kafkaReplicationFactor),
    sessionTimeoutMs: read.required(TABLE.kafkaSessionTimeoutMs),
    tls: readTls(read),
    signIn: readSignIn(read),
  };
}

function readTls(read: SettingsReader): KafkaTlsFiles | null {
  const files = {
    ca: read.value(TABLE.kafkaCaFile),
    certificate: read.value(TABLE.kafkaCertificateFile),
    key: read.value(TABLE.kafkaKeyFile),
  };
  if (files.certificate !== null && files.key === null) {
    read.refuse(TABLE.kafkaKeyFile, 'it is needed with KAFKA_CLIENT_CERTIFICATE_FILE');
  }
  if (files.key !== null && files.certificate === null) {
    read.refuse(TABLE.kafkaCertificateFile, 'it is needed with KAFKA_CLIENT_KEY_FILE');
  }
  if (read.required(TABLE.kafkaSsl)) return Object.freeze(files);
  const isUsed = Object.values(files).some((file) => file !== null);
  if (isUsed) read.refuse(TABLE.kafkaSsl, 'certificates need it');
  return null;
}

function readSignIn(read: SettingsReader): KafkaSignIn | null {
  const mechanism = read.required(TABLE.kafkaSaslMechanism);
  const username = read.value(TABLE.kafkaUsername);
  const password = readPassword(read, username !== null);
  const token = {
    file: read.value(TABLE.kafkaTokenFile),
    url: read.value(TABLE.kafkaTokenUrl),
    scope: read.value(TABLE.kafkaTokenScope),
  };
  if (mechanism === 'OAUTHBEARER') return readOAuth(read, token, username, password);
  if (username !== null) return Object.freeze({ mechanism, username, password });
  if (read.isWritten(TABLE.kafkaSaslMechanism) && !read.refused(TABLE.kafkaSaslMechanism)) {
    read.refuse(TABLE.kafkaUsername, 'it is needed with KAFKA_SASL_MECHANISM');
  }
  return null;
}

function readPassword(read: SettingsReader, isNeeded: boolean): Secret {
  const value = read.value(TABLE.kafkaPassword);
  const file = read.value(TABLE.kafkaPasswordFile);
  if (read.isWritten(TABLE.kafkaPassword) && file !== null) {
    read.refuse(TABLE.kafkaPasswordFile, 'KAFKA_PASSWORD is set as well; set one of the two');
  }
  if (isNeeded && !read.isWritten(TABLE.kafkaPassword) && file === null) {
    read.refuse(TABLE.kafkaPassword, 'it or KAFKA_PASSWORD_FILE is needed with KAFKA_USERNAME');
  }
  return Object.freeze(file === null ? { value: value ?? '' } : { file });
}

function readOAuth(
  read: SettingsReader,
  token: { readonly file: string | null; readonly url: string | null; readonly scope: string | null },
  clientId: string | null,
  clientSecret: Secret,
): KafkaSignIn {
  const mechanism = 'OAUTHBEARER';
  const { file: tokenFile, url: tokenUrl, scope } = token;
  if (tokenFile !== null) return Object.freeze({ mechanism, tokenFile });
  if (tokenUrl === null) {
    const isRefused = read.refused(TABLE.kafkaTokenUrl);
    if (!isRefused) read.refuse(TABLE.kafkaTokenUrl, 'it or KAFKA_TOKEN_FILE is needed with OAUTHBEARER');
  } else if (clientId === null) {
    read.refuse(TABLE.kafkaUsername, 'it is needed with KAFKA_TOKEN_URL');
  }
  return Object.freeze({ mechanism, tokenUrl: tokenUrl ?? '', clientId: clientId ?? '', clientSecret, scope });
}
