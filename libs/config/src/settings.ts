import { readKafka } from './kafka-access.js';
import { readDemo } from './read-demo.js';
import { readFunding } from './read-funding.js';
import { isLoopbackHost } from './setting-parsers.js';
import type { Setting } from './setting.js';
import { SettingsError, SettingsReader, type EnvironmentVariables } from './settings-reader.js';
import { SETTINGS_TABLE as TABLE } from './settings-table.js';

const DAY_MS = 86_400_000;

/** The validated settings of the operator. Deeply frozen. */
export type Settings = ReturnType<typeof readSettings>;

/** How often one caller may send requests: so many a second, and so many at once after a pause. */
export type RateLimit = ReturnType<typeof readRateLimit>;

/** How much one user may do in one environment. */
export type UserLimits = ReturnType<typeof readUserLimits>;

/** Where the events of the ledger are stored. */
function readEventStore(read: SettingsReader) {
  const kind = read.required(TABLE.eventStore);
  const url = read.value(TABLE.eventStoreUrl) ?? '';
  if (kind === 'postgres') return Object.freeze({ kind });
  read.requireWritten(TABLE.eventStoreUrl, 'it is needed with EVENT_STORE=eventstoredb');
  return Object.freeze({ kind, url });
}

/** Whether a mail server is reached by TLS alone, or is on this machine. */
function isEncryptedMail(smtpUrl: string): boolean {
  const { protocol, hostname, searchParams } = new URL(smtpUrl);
  return protocol === 'smtps:' || searchParams.get('requireTLS') === 'true' || isLoopbackHost(hostname);
}

/** How codes reach users; null: not at all, or on the mailbox page. Holds passwords: never log it. */
function readMessages(read: SettingsReader, isProduction: boolean) {
  const smtpUrl = read.value(TABLE.smtpUrl);
  const from = read.value(TABLE.mailFrom) ?? '';
  if (smtpUrl !== null) read.requireWritten(TABLE.mailFrom, 'it is needed with SMTP_URL');
  const hookUrl = read.value(TABLE.smsWebHookUrl);
  const token = read.value(TABLE.smsWebHookToken);
  if (isProduction && smtpUrl !== null && !isEncryptedMail(smtpUrl)) {
    read.refuse(TABLE.smtpUrl, 'in production codes must not travel in the clear: write smtps:// or ?requireTLS=true');
  }
  if (isProduction && hookUrl?.startsWith('http://') && !isLoopbackHost(new URL(hookUrl).hostname)) {
    read.refuse(TABLE.smsWebHookUrl, 'in production codes must not travel in the clear: write https://');
  }
  return Object.freeze({
    smtp: smtpUrl === null ? null : Object.freeze({ url: smtpUrl, from }),
    smsWebHook: hookUrl === null ? null : Object.freeze({ url: hookUrl, token }),
  });
}

function readRateLimit(read: SettingsReader, caller: 'token' | 'app' | 'address') {
  const [perSecond, burst] = [read.required(TABLE[`${caller}PerSecond`]), read.required(TABLE[`${caller}Burst`])];
  return Object.freeze({ perSecond, burst });
}

function readUserLimits(read: SettingsReader) {
  return Object.freeze({
    pendingPerPair: read.required(TABLE.pendingPerPair),
    pendingPerUser: read.required(TABLE.pendingPerUser),
    newPayeesPerDay: read.required(TABLE.newPayeesPerDay),
    /** Null: no limit. */
    amountPerDayCents: read.value(TABLE.amountPerDayCents),
  });
}

/** The limits of callers and users. With `RATE_LIMITS=off` their settings are validated as well, and none applies. */
function readLimits(read: SettingsReader) {
  const isOn = read.required(TABLE.rateLimits);
  const rateLimits = Object.freeze({
    perToken: readRateLimit(read, 'token'),
    perApp: readRateLimit(read, 'app'),
    perAddress: readRateLimit(read, 'address'),
  });
  const userLimits = readUserLimits(read);
  return {
    rateLimits: isOn ? rateLimits : null,
    userLimits: isOn ? userLimits : null,
    /** The limit of all callers of one gateway. */
    requestsInProgress: read.required(TABLE.requestsInProgress),
    /** The limit of the requests of one address without a valid access token. */
    requestsInProgressPerAddress: read.required(TABLE.requestsInProgressPerAddress),
  };
}

function readPublicUrl(read: SettingsReader, port: number, isProduction: boolean): string {
  const publicUrl = read.value(TABLE.publicUrl) ?? `http://localhost:${port}`;
  if (isProduction && !publicUrl.startsWith('https://') && !isLoopbackHost(new URL(publicUrl).hostname)) {
    read.refuse(TABLE.publicUrl, 'in production people must reach it over https');
  }
  return publicUrl;
}

/** Settings of auth-service, of which the gateway reads some. */
function readAuth(read: SettingsReader) {
  return {
    /** Whether apps may register http redirect addresses beyond loopback in production. */
    allowHttpRedirects: read.required(TABLE.allowHttpRedirects),
    /** Refresh tokens of one authorization end so long after it began. */
    refreshFamilyMs: read.required(TABLE.refreshFamilyDays) * DAY_MS,
    /** How long after its first use a refresh token may be used again. */
    refreshLeewayMs: read.required(TABLE.refreshLeewaySeconds) * 1_000,
    /** Null: token introspection is off; services check tokens by message. */
    introspectionSecret: read.value(TABLE.introspectionSecret),
    /** Null: the key that is kept in auth-service's database. */
    securityLogKey: read.value(TABLE.securityLogKey),
    /** How long kept answers of token checks count after auth-service fell silent. */
    tokenGraceMs: read.required(TABLE.tokenGraceSeconds) * 1_000,
  };
}

/**
 * Returns the settings in `env` (mostly `process.env`).
 * @param needed rows that must be set
 * Errors: `SettingsError`, which names every problem at once.
 */
export function readSettings(env: EnvironmentVariables, needed: readonly Setting<unknown>[] = []) {
  const read = new SettingsReader(env);
  for (const row of needed) read.requireWritten(row, 'it is needed here and not set');
  const nodeEnv = read.required(TABLE.nodeEnv);
  const isProduction = nodeEnv === 'production';
  const [port, host] = [read.required(TABLE.port), read.required(TABLE.host)];
  /** Without a slash at the end. */
  const publicUrl = readPublicUrl(read, port, isProduction);
  const settings = Object.freeze({
    nodeEnv,
    host,
    port,
    publicUrl,
    dataDir: read.required(TABLE.dataDir),
    /** Null: the embedded PostgreSQL. */
    databaseUrl: read.value(TABLE.databaseUrl),
    /** A service's own database as the role that owns its tables. Null: not given. */
    migrationsDatabaseUrl: read.value(TABLE.migrationsDatabaseUrl),
    eventStore: readEventStore(read),
    /** As it is written in the file; `newestSecret` reads it again. Null: notes and addresses are not encrypted. */
    dataKey: read.value(TABLE.dataKey),
    ...readDemo(read, { isProduction, host, publicUrl }),
    logLevel: read.required(TABLE.logLevel),
    corsOrigins: Object.freeze([...(read.value(TABLE.corsOrigins) ?? [])]),
    ...readAuth(read),
    // With the letter of the interface, a phone number that was guessed leads to a name and an e-mail address.
    contactVisibility: read.value(TABLE.contactVisibility) ?? (isProduction ? 'friends' : 'everyone'),
    payments: Object.freeze({
      maxAmountCents: read.required(TABLE.maxAmountCents),
      feeBps: read.required(TABLE.feeBps),
      feeFixedCents: read.required(TABLE.feeFixedCents),
      expiryDays: read.required(TABLE.expiryDays),
    }),
    funding: readFunding(read, isProduction),
    kafka: readKafka(read),
    ...readLimits(read),
    messages: readMessages(read, isProduction),
    /** Proxies in front whose `X-Forwarded-For` is believed. */
    trustedProxies: read.required(TABLE.trustedProxies),
    /** Where auth-service listens for a gateway in another process. */
    authUrl: read.value(TABLE.authUrl),
    /** Port 0: a free one; null: see `readServiceSettings`, and none in the embedded shape. */
    health: Object.freeze({ host: read.required(TABLE.healthHost), port: read.value(TABLE.healthPort) }),
    /** Where traces are sent; null: nothing is traced. */
    tracesEndpoint: read.value(TABLE.tracesEndpoint),
    /** The name of this process in logs and in the cluster; null: see `readServiceSettings`. */
    instanceId: read.value(TABLE.instanceId),
  });
  if (read.problems.length > 0) throw new SettingsError(read.problems);
  return settings;
}
