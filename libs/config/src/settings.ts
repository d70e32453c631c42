import { isLoopback } from './setting-parsers.js';
import type { Setting } from './setting.js';
import { SettingsError, SettingsReader, type EnvironmentVariables } from './settings-reader.js';
import { SETTINGS_TABLE as TABLE, type ContactVisibility, type LogLevel, type NodeEnv } from './settings-table.js';

/** Where the events live. */
type EventStoreSettings = { readonly kind: 'postgres' } | { readonly kind: 'eventstoredb'; readonly url: string };

/** How Apache Kafka is reached. Holds a password: never log it. */
export interface KafkaSettings {
  /** `host:port` each; empty in the embedded shape. */
  readonly brokers: readonly string[];
  /** Of the stack's own broker. */
  readonly port: number;
  /** Empty: none. */
  readonly topicPrefix: string;
  readonly replicationFactor: number;
  readonly sessionTimeoutMs: number;
  readonly ssl: boolean;
  /** Null: nobody signs in. */
  readonly credentials: { readonly username: string; readonly password: string } | null;
}

/** How codes reach people; null: not at all, or on the mailbox page. Holds passwords: never log it. */
export interface MessageSettings {
  readonly smtp: { readonly url: string; readonly from: string } | null;
  readonly smsWebHook: { readonly url: string; readonly token: string | null } | null;
}

/** How often one caller may ask: so many requests a second, and so many at once after a pause. */
export interface RateLimit {
  readonly perSecond: number;
  readonly burst: number;
}

/** What the operator decided, checked. Deeply frozen. */
export interface Settings {
  readonly nodeEnv: NodeEnv;
  readonly host: string;
  readonly port: number;
  /** Without a slash at the end. */
  readonly publicUrl: string;
  readonly dataDir: string;
  /** Null: the embedded PostgreSQL. */
  readonly databaseUrl: string | null;
  readonly eventStore: EventStoreSettings;
  readonly demo: boolean;
  readonly devTools: boolean;
  readonly logLevel: LogLevel;
  readonly corsOrigins: readonly string[];
  readonly contactVisibility: ContactVisibility;
  /** Null: nobody may ask what a token stands for but by message. */
  readonly introspectionSecret: string | null;
  readonly payments: {
    readonly maxAmountCents: number;
    readonly feeBps: number;
    readonly feeFixedCents: number;
    readonly expiryDays: number;
  };
  readonly kafka: KafkaSettings;
  readonly messages: MessageSettings;
  /** Null: nobody is told to slow down. */
  readonly rateLimits: { readonly perToken: RateLimit; readonly perAddress: RateLimit } | null;
  /** Of all callers of one gateway. */
  readonly requestsInProgress: number;
  /** Proxies in front whose word on where a request came from is believed. */
  readonly trustedProxies: number;
  /** Where auth-service listens for a gateway in another process. */
  readonly authUrl: string | null;
  /** Port 0: a free one; null: see `readServiceSettings`, and none in the embedded shape. */
  readonly health: { readonly host: string; readonly port: number | null };
  /** Where traces are sent; null: nothing is traced. */
  readonly tracesEndpoint: string | null;
  /** What logs and the cluster call this process; null: see `readServiceSettings`. */
  readonly instanceId: string | null;
}

function readDemo(read: SettingsReader, isProduction: boolean): Pick<Settings, 'demo' | 'devTools'> {
  const demo = read.value(TABLE.demo) ?? !isProduction;
  const devTools = read.value(TABLE.devTools) ?? demo;
  if (isProduction && demo) read.refuse(TABLE.demo, 'demo data has known passwords and is refused in production');
  if (isProduction && devTools && read.value(TABLE.devTools)) {
    read.refuse(TABLE.devTools, 'development tools show codes to anybody and are refused in production');
  }
  return { demo, devTools };
}

function readEventStore(read: SettingsReader): EventStoreSettings {
  const kind = read.required(TABLE.eventStore);
  const url = read.value(TABLE.eventStoreUrl);
  if (kind === 'postgres') return { kind };
  if (url === null && !read.refused(TABLE.eventStoreUrl)) {
    read.refuse(TABLE.eventStoreUrl, 'it is needed with EVENT_STORE=eventstoredb');
  }
  return { kind, url: url ?? '' };
}

function readKafka(read: SettingsReader): KafkaSettings {
  const username = read.value(TABLE.kafkaUsername);
  const password = read.value(TABLE.kafkaPassword);
  if (username !== null && !read.isWritten(TABLE.kafkaPassword)) {
    read.refuse(TABLE.kafkaPassword, 'it is needed with KAFKA_USERNAME');
  }
  return {
    brokers: Object.freeze([...(read.value(TABLE.kafkaBrokers) ?? [])]),
    port: read.required(TABLE.kafkaPort),
    topicPrefix: read.value(TABLE.kafkaTopicPrefix) ?? '',
    replicationFactor: read.required(TABLE.kafkaReplicationFactor),
    sessionTimeoutMs: read.required(TABLE.kafkaSessionTimeoutMs),
    ssl: read.required(TABLE.kafkaSsl),
    credentials: username === null ? null : Object.freeze({ username, password: password ?? '' }),
  };
}

function readMessages(read: SettingsReader): MessageSettings {
  const smtpUrl = read.value(TABLE.smtpUrl);
  const from = read.value(TABLE.mailFrom);
  if (smtpUrl !== null && !read.isWritten(TABLE.mailFrom)) read.refuse(TABLE.mailFrom, 'it is needed with SMTP_URL');
  const hookUrl = read.value(TABLE.smsWebHookUrl);
  const token = read.value(TABLE.smsWebHookToken);
  return {
    smtp: smtpUrl === null ? null : Object.freeze({ url: smtpUrl, from: from ?? '' }),
    smsWebHook: hookUrl === null ? null : Object.freeze({ url: hookUrl, token }),
  };
}

function readRateLimits(read: SettingsReader): Settings['rateLimits'] {
  const perToken = { perSecond: read.required(TABLE.tokenPerSecond), burst: read.required(TABLE.tokenBurst) };
  const perAddress = { perSecond: read.required(TABLE.addressPerSecond), burst: read.required(TABLE.addressBurst) };
  if (!read.required(TABLE.rateLimits)) return null;
  return Object.freeze({ perToken: Object.freeze(perToken), perAddress: Object.freeze(perAddress) });
}

function readPublicUrl(read: SettingsReader, port: number, isProduction: boolean): string {
  const publicUrl = read.value(TABLE.publicUrl) ?? `http://localhost:${port}`;
  if (isProduction && !publicUrl.startsWith('https://') && !isLoopback(publicUrl)) {
    read.refuse(TABLE.publicUrl, 'in production people must reach it over https');
  }
  return publicUrl;
}

/**
 * The settings that `env` (mostly `process.env`) stands for.
 * @param needed rows that must be written
 * Errors: `SettingsError`, which names every problem at once.
 */
export function readSettings(env: EnvironmentVariables, needed: readonly Setting<unknown>[] = []): Settings {
  const read = new SettingsReader(env);
  for (const row of needed) if (!read.isWritten(row)) read.refuse(row, 'it is needed here and not set');
  const nodeEnv = read.required(TABLE.nodeEnv);
  const isProduction = nodeEnv === 'production';
  const port = read.required(TABLE.port);
  const settings: Settings = {
    nodeEnv,
    host: read.required(TABLE.host),
    port,
    publicUrl: readPublicUrl(read, port, isProduction),
    dataDir: read.required(TABLE.dataDir),
    databaseUrl: read.value(TABLE.databaseUrl),
    eventStore: Object.freeze(readEventStore(read)),
    ...readDemo(read, isProduction),
    logLevel: read.required(TABLE.logLevel),
    corsOrigins: Object.freeze([...(read.value(TABLE.corsOrigins) ?? [])]),
    contactVisibility: read.required(TABLE.contactVisibility),
    introspectionSecret: read.value(TABLE.introspectionSecret),
    payments: Object.freeze({
      maxAmountCents: read.required(TABLE.maxAmountCents),
      feeBps: read.required(TABLE.feeBps),
      feeFixedCents: read.required(TABLE.feeFixedCents),
      expiryDays: read.required(TABLE.expiryDays),
    }),
    kafka: Object.freeze(readKafka(read)),
    messages: Object.freeze(readMessages(read)),
    rateLimits: readRateLimits(read),
    requestsInProgress: read.required(TABLE.requestsInProgress),
    trustedProxies: read.required(TABLE.trustedProxies),
    authUrl: read.value(TABLE.authUrl),
    health: Object.freeze({ host: read.required(TABLE.healthHost), port: read.value(TABLE.healthPort) }),
    tracesEndpoint: read.value(TABLE.tracesEndpoint),
    instanceId: read.value(TABLE.instanceId),
  };
  if (read.problems.length > 0) throw new SettingsError(read.problems);
  return Object.freeze(settings);
}
