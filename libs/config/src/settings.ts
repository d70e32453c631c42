import { readKafka, type KafkaSettings } from './kafka-access.js';
import { readDemo } from './read-demo.js';
import { isLoopbackHost } from './setting-parsers.js';
import type { Setting } from './setting.js';
import { SettingsError, SettingsReader, type EnvironmentVariables } from './settings-reader.js';
import { SETTINGS_TABLE as TABLE, type ContactVisibility, type LogLevel, type NodeEnv } from './settings-table.js';

const DAY_MS = 86_400_000;

/** Where the events live. */
type EventStoreSettings = { readonly kind: 'postgres' } | { readonly kind: 'eventstoredb'; readonly url: string };

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

/** How much one user may do in one environment. */
export interface UserLimits {
  readonly pendingPerPair: number;
  readonly pendingPerUser: number;
  readonly newPayeesPerDay: number;
  /** Null: no limit. */
  readonly amountPerDayCents: number | null;
}

/** The validated settings of the operator. Deeply frozen. */
export interface Settings {
  readonly nodeEnv: NodeEnv;
  readonly host: string;
  readonly port: number;
  /** Without a slash at the end. */
  readonly publicUrl: string;
  readonly dataDir: string;
  /** Null: the embedded PostgreSQL. */
  readonly databaseUrl: string | null;
  /** A service's own database as the role that owns its tables. Null: not given. */
  readonly migrationsDatabaseUrl: string | null;
  readonly eventStore: EventStoreSettings;
  readonly demo: boolean;
  readonly devTools: boolean;
  readonly logLevel: LogLevel;
  readonly corsOrigins: readonly string[];
  readonly contactVisibility: ContactVisibility;
  /** Whether apps may register http redirect addresses beyond loopback in production. */
  readonly allowHttpRedirects: boolean;
  /** Refresh tokens of one authorization end so long after it began. */
  readonly refreshFamilyMs: number;
  /** Null: token introspection is off; services check tokens by message. */
  readonly introspectionSecret: string | null;
  /** Null: the key that is kept in auth-service's database. */
  readonly securityLogKey: string | null;
  readonly payments: {
    readonly maxAmountCents: number;
    readonly feeBps: number;
    readonly feeFixedCents: number;
    readonly expiryDays: number;
  };
  readonly kafka: KafkaSettings;
  readonly messages: MessageSettings;
  /** Null: no rate limits. */
  readonly rateLimits: {
    readonly perToken: RateLimit;
    readonly perApp: RateLimit;
    readonly perAddress: RateLimit;
  } | null;
  /** Null: `RATE_LIMITS=off`. */
  readonly userLimits: UserLimits | null;
  /** The limit of all callers of one gateway. */
  readonly requestsInProgress: number;
  /** The limit of the requests of one address without a valid access token. */
  readonly requestsInProgressPerAddress: number;
  /** How long kept answers of token checks count after auth-service fell silent. */
  readonly tokenGraceMs: number;
  /** How long after its first use a refresh token may be used again. */
  readonly refreshLeewayMs: number;
  /** Proxies in front whose word on where a request came from is believed. */
  readonly trustedProxies: number;
  /** Where auth-service listens for a gateway in another process. */
  readonly authUrl: string | null;
  /** Port 0: a free one; null: see `readServiceSettings`, and none in the embedded shape. */
  readonly health: { readonly host: string; readonly port: number | null };
  /** Where traces are sent; null: nothing is traced. */
  readonly tracesEndpoint: string | null;
  /** The name of this process in logs and in the cluster; null: see `readServiceSettings`. */
  readonly instanceId: string | null;
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

/** Whether a mail server is reached by TLS alone, or is on this machine. */
function isEncryptedMail(smtpUrl: string): boolean {
  const { protocol, hostname, searchParams } = new URL(smtpUrl);
  return protocol === 'smtps:' || searchParams.get('requireTLS') === 'true' || isLoopbackHost(hostname);
}

function readMessages(read: SettingsReader, isProduction: boolean): MessageSettings {
  const smtpUrl = read.value(TABLE.smtpUrl);
  const from = read.value(TABLE.mailFrom);
  if (smtpUrl !== null && !read.isWritten(TABLE.mailFrom)) read.refuse(TABLE.mailFrom, 'it is needed with SMTP_URL');
  const hookUrl = read.value(TABLE.smsWebHookUrl);
  const token = read.value(TABLE.smsWebHookToken);
  if (isProduction && smtpUrl !== null && !isEncryptedMail(smtpUrl)) {
    read.refuse(TABLE.smtpUrl, 'in production codes must not travel in the clear: write smtps:// or ?requireTLS=true');
  }
  if (isProduction && hookUrl?.startsWith('http://') && !isLoopbackHost(new URL(hookUrl).hostname)) {
    read.refuse(TABLE.smsWebHookUrl, 'in production codes must not travel in the clear: write https://');
  }
  return {
    smtp: smtpUrl === null ? null : Object.freeze({ url: smtpUrl, from: from ?? '' }),
    smsWebHook: hookUrl === null ? null : Object.freeze({ url: hookUrl, token }),
  };
}

/** @param isOn `RATE_LIMITS` */
function readRateLimits(read: SettingsReader, isOn: boolean): Settings['rateLimits'] {
  const perToken = { perSecond: read.required(TABLE.tokenPerSecond), burst: read.required(TABLE.tokenBurst) };
  const perApp = { perSecond: read.required(TABLE.appPerSecond), burst: read.required(TABLE.appBurst) };
  const perAddress = { perSecond: read.required(TABLE.addressPerSecond), burst: read.required(TABLE.addressBurst) };
  if (!isOn) return null;
  return Object.freeze({
    perToken: Object.freeze(perToken),
    perApp: Object.freeze(perApp),
    perAddress: Object.freeze(perAddress),
  });
}

/** @param isOn `RATE_LIMITS` */
function readUserLimits(read: SettingsReader, isOn: boolean): UserLimits | null {
  const limits = {
    pendingPerPair: read.required(TABLE.pendingPerPair),
    pendingPerUser: read.required(TABLE.pendingPerUser),
    newPayeesPerDay: read.required(TABLE.newPayeesPerDay),
    amountPerDayCents: read.value(TABLE.amountPerDayCents),
  };
  return isOn ? Object.freeze(limits) : null;
}

function readPublicUrl(read: SettingsReader, port: number, isProduction: boolean): string {
  const publicUrl = read.value(TABLE.publicUrl) ?? `http://localhost:${port}`;
  if (isProduction && !publicUrl.startsWith('https://') && !isLoopbackHost(new URL(publicUrl).hostname)) {
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
  const hasLimits = read.required(TABLE.rateLimits);
  const host = read.required(TABLE.host);
  const publicUrl = readPublicUrl(read, port, isProduction);
  const settings: Settings = {
    nodeEnv,
    host,
    port,
    publicUrl,
    dataDir: read.required(TABLE.dataDir),
    databaseUrl: read.value(TABLE.databaseUrl),
    migrationsDatabaseUrl: read.value(TABLE.migrationsDatabaseUrl),
    eventStore: Object.freeze(readEventStore(read)),
    ...readDemo(read, { isProduction, host, publicUrl }),
    logLevel: read.required(TABLE.logLevel),
    corsOrigins: Object.freeze([...(read.value(TABLE.corsOrigins) ?? [])]),
    allowHttpRedirects: read.required(TABLE.allowHttpRedirects),
    refreshFamilyMs: read.required(TABLE.refreshFamilyDays) * DAY_MS,
    // With the letter of the interface, a phone number that was guessed leads to a name and an e-mail address.
    contactVisibility: read.value(TABLE.contactVisibility) ?? (isProduction ? 'friends' : 'everyone'),
    introspectionSecret: read.value(TABLE.introspectionSecret),
    securityLogKey: read.value(TABLE.securityLogKey),
    payments: Object.freeze({
      maxAmountCents: read.required(TABLE.maxAmountCents),
      feeBps: read.required(TABLE.feeBps),
      feeFixedCents: read.required(TABLE.feeFixedCents),
      expiryDays: read.required(TABLE.expiryDays),
    }),
    kafka: Object.freeze(readKafka(read)),
    rateLimits: readRateLimits(read, hasLimits),
    userLimits: readUserLimits(read, hasLimits),
    messages: Object.freeze(readMessages(read, isProduction)),
    requestsInProgress: read.required(TABLE.requestsInProgress),
    requestsInProgressPerAddress: read.required(TABLE.requestsInProgressPerAddress),
    tokenGraceMs: read.required(TABLE.tokenGraceSeconds) * 1_000,
    refreshLeewayMs: read.required(TABLE.refreshLeewaySeconds) * 1_000,
    trustedProxies: read.required(TABLE.trustedProxies),
    authUrl: read.value(TABLE.authUrl),
    health: Object.freeze({ host: read.required(TABLE.healthHost), port: read.value(TABLE.healthPort) }),
    tracesEndpoint: read.value(TABLE.tracesEndpoint),
    instanceId: read.value(TABLE.instanceId),
  };
  if (read.problems.length > 0) throw new SettingsError(read.problems);
  return Object.freeze(settings);
}
