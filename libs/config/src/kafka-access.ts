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

/** How Apache Kafka is reached. Holds a password: never log it. */
export type KafkaSettings = ReturnType<typeof readKafka>;

/** Files in PEM that TLS needs beyond the authorities that Node knows. */
export type KafkaTlsFiles = NonNullable<KafkaSettings['tls']>;

export function readKafka(read: SettingsReader) {
  return Object.freeze({
    /** `host:port` each; empty in the embedded shape. */
    brokers: Object.freeze([...(read.value(TABLE.kafkaBrokers) ?? [])]),
    /** The setting of the stack's managed broker. */
    port: read.required(TABLE.kafkaPort),
    /** Empty: none. */
    topicPrefix: read.value(TABLE.kafkaTopicPrefix) ?? '',
    replicationFactor: read.required(TABLE.kafkaReplicationFactor),
    sessionTimeoutMs: read.required(TABLE.kafkaSessionTimeoutMs),
    /** Null: connects without TLS. */
    tls: readTls(read),
    /** Null: signs in by a client certificate, or not at all. */
    signIn: readSignIn(read),
  });
}

function readTls(read: SettingsReader) {
  const files = {
    ca: read.value(TABLE.kafkaCaFile),
    certificate: read.value(TABLE.kafkaCertificateFile),
    key: read.value(TABLE.kafkaKeyFile),
  };
  if (files.certificate !== null) {
    read.requireWritten(TABLE.kafkaKeyFile, 'it is needed with KAFKA_CLIENT_CERTIFICATE_FILE');
  }
  if (files.key !== null) {
    read.requireWritten(TABLE.kafkaCertificateFile, 'it is needed with KAFKA_CLIENT_KEY_FILE');
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
  const tokenFile = read.value(TABLE.kafkaTokenFile);
  const tokenUrl = read.value(TABLE.kafkaTokenUrl);
  const scope = read.value(TABLE.kafkaTokenScope);
  if (mechanism === 'OAUTHBEARER') {
    if (tokenFile !== null) return Object.freeze({ mechanism, tokenFile });
    read.requireWritten(TABLE.kafkaTokenUrl, 'it or KAFKA_TOKEN_FILE is needed with OAUTHBEARER');
    if (tokenUrl !== null && username === null) read.refuse(TABLE.kafkaUsername, 'it is needed with KAFKA_TOKEN_URL');
    const [clientId, clientSecret] = [username ?? '', password];
    return Object.freeze({ mechanism, tokenUrl: tokenUrl ?? '', clientId, clientSecret, scope });
  }
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
