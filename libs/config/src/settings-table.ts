import {
  dataKeys,
  eventStoreDbUrl,
  folder,
  hostName,
  longSecret,
  moneyAsCents,
  oneOf,
  parser,
  postgresUrl,
  webOrigin,
  webOrigins,
  wholeNumber,
} from './setting-parsers.js';
import { APP_SETTINGS } from './app-settings.js';
import { CALLER_LIMIT_SETTINGS } from './caller-limit-settings.js';
import { DEMO_SETTINGS } from './demo-settings.js';
import { FUNDING_SETTINGS } from './funding-settings.js';
import { KAFKA_SETTINGS } from './kafka-settings.js';
import { KAFKA_SIGN_IN_SETTINGS } from './kafka-sign-in-settings.js';
import { MESSAGE_SETTINGS } from './message-settings.js';
import { PROCESS_SETTINGS } from './process-settings.js';
import { fileSetting, READ_AT_EACH_CONNECTION, setting, type Setting } from './setting.js';
import { USER_LIMIT_SETTINGS } from './user-limit-settings.js';

const NODE_ENVS = ['development', 'test', 'production'] as const;
const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
const EVENT_STORES = ['postgres', 'eventstoredb'] as const;
const CONTACT_VISIBILITIES = ['everyone', 'friends', 'self'] as const;

export type NodeEnv = (typeof NODE_ENVS)[number];
export type LogLevel = (typeof LOG_LEVELS)[number];
export type ContactVisibility = (typeof CONTACT_VISIBILITIES)[number];

const PORT = parser(
  'a whole number from 1 to 65535, or 0 with `npm start` and `npm run stack`',
  wholeNumber(1, 65_535),
);

/** Every setting of the product; `DOCUMENTED_SETTINGS` adds the files that may hold secrets. */
export const SETTINGS_TABLE = {
  nodeEnv: setting('NODE_ENV', oneOf(NODE_ENVS), {
    default: 'development',
    meaning:
      'In `production` there is no demo data, and secrets and a public address must be real. The container image sets `production`.',
    example: 'production',
  }),
  host: setting('HOST', hostName, {
    default: '127.0.0.1',
    meaning: 'The address that is listened on. Only this machine can connect until it is changed.',
    readBy: 'all-in-one, api-gateway, auth-service, stack',
    example: '0.0.0.0',
  }),
  port: setting('PORT', PORT, {
    default: '3000',
    meaning: 'The port that is listened on. With `npm start` and `npm run stack`, `0` takes a free one.',
    readBy: 'all-in-one, api-gateway, auth-service, stack',
  }),
  publicUrl: setting('PUBLIC_URL', webOrigin, {
    otherwise: '`http://localhost:<PORT>`; auth-service and users-service on their own need one',
    meaning: 'The address under which people and apps reach the product; every link is built from it.',
    example: 'https://pay.example.com',
    isSecret: true,
  }),
  dataDir: setting('DATA_DIR', folder, {
    default: '.data',
    meaning: 'The folder that holds the embedded database and what else must outlive a restart.',
    readBy: 'all-in-one, stack',
  }),
  databaseUrl: setting('DATABASE_URL', postgresUrl, {
    otherwise: 'the embedded PostgreSQL; a service on its own needs one',
    meaning:
      'A PostgreSQL 15 or newer of your own, as a role that may create databases and roles; for a service on its own: ' +
      'its own database, as the role that reads and writes the rows.',
    readBy: 'all-in-one, stack, auth-service, users-service, payments-service',
    example: 'postgres://user:password@localhost:5432/postgres',
    inFile: READ_AT_EACH_CONNECTION,
  }),
  migrationsDatabaseUrl: setting('MIGRATIONS_DATABASE_URL', postgresUrl, {
    otherwise: 'none; `npm start` and the stack make the role and its password themselves',
    meaning:
      "A service's own database as the role that owns its tables. Only the command that migrates them and a rebuild of " +
      'the read models read it; the services themselves never need it.',
    readBy: 'migrate, projections',
    example: 'postgres://settle_payments_migrations:password@localhost:5432/settle_payments',
    inFile: READ_AT_EACH_CONNECTION,
  }),
  eventStore: setting('EVENT_STORE', oneOf(EVENT_STORES), {
    default: 'postgres',
    meaning: 'Where the events of the ledger live: in the PostgreSQL database, or in an EventStoreDB.',
    readBy: 'all-in-one, payments-service',
    example: 'eventstoredb',
  }),
  eventStoreUrl: setting('EVENTSTORE_URL', eventStoreDbUrl, {
    otherwise: 'none; needed with `EVENT_STORE=eventstoredb`',
    meaning: 'An EventStoreDB 23.10 or newer, as a user who may read `$all`.',
    readBy: 'all-in-one, payments-service',
    example: 'esdb://localhost:2113?tls=false',
    inFile: READ_AT_EACH_CONNECTION,
  }),
  dataKey: setting('DATA_KEY', dataKeys, {
    otherwise: 'none; needed in production; `npm start` and the stack make one themselves',
    meaning:
      'The key under which the keys of notes and addresses are wrapped: 32 random bytes in base64, as of ' +
      '`openssl rand -base64 32`, best as a file. A second line may hold the key from before, see ' +
      '[operations.md](operations.md#the-key-of-notes-and-addresses). Without it nothing is encrypted.',
    readBy: 'all-in-one, stack, payments-service',
    example: '<secret>',
    inFile: 'It is read again before a key is wrapped, and when a key is wrapped with one that is not known yet.',
  }),
  ...DEMO_SETTINGS,
  logLevel: setting('LOG_LEVEL', oneOf(LOG_LEVELS), {
    default: 'info',
    meaning: 'The least severe line that is still logged.',
  }),
  corsOrigins: setting('CORS_ORIGINS', webOrigins, {
    meaning: 'Origins of other web pages whose scripts may call the interface, separated by commas.',
    readBy: 'all-in-one, api-gateway',
    example: 'https://app.example.com,https://other.example.com',
  }),
  introspectionSecret: setting('INTROSPECTION_SECRET', longSecret, {
    otherwise: 'none: requests are refused',
    meaning: 'With it a service of your own may ask auth-service, at its own port, what a token stands for.',
    readBy: 'all-in-one, auth-service',
    example: '<secret>',
    inFile: 'It is read again at each request, so that the secret can be changed while the service runs.',
  }),
  securityLogKey: setting('SECURITY_LOG_KEY', longSecret, {
    otherwise: "32 random bytes, made once and kept in auth-service's database",
    meaning:
      'The key of the hashes of addresses and browsers in the security log. With another key the same visitor has other hashes.',
    readBy: 'all-in-one, auth-service',
    example: '<secret>',
    inFile: 'It is read only at the start.',
  }),
  refreshLeewaySeconds: setting('REFRESH_LEEWAY', wholeNumber(0, 60), {
    default: '10',
    meaning:
      'How many seconds a refresh token may be used again after its first use, for apps that refresh twice at once or lose ' +
      'the answer; each use gives tokens of its own. After that a further use revokes all tokens of the authorization. With 0 it works once.',
    readBy: 'all-in-one, auth-service',
  }),
  contactVisibility: setting('CONTACT_VISIBILITY', oneOf(CONTACT_VISIBILITIES), {
    otherwise: '`everyone`; `friends` in production',
    meaning: 'The users whose e-mail and phone a token with the scope may read: all, friends, or only its own user.',
    readBy: 'all-in-one, users-service',
    example: 'friends',
  }),
  maxAmountCents: setting('MAX_AMOUNT', moneyAsCents, {
    default: '2999.99',
    meaning: 'The largest amount of one payment or charge.',
    readBy: 'all-in-one, api-gateway',
  }),
  feeBps: setting('FEE_BPS', wholeNumber(0, 10_000), {
    default: '0',
    meaning: 'The share of the amount that the payer pays on top, in hundredths of a percent.',
    readBy: 'all-in-one, payments-service',
    example: '25',
  }),
  feeFixedCents: setting('FEE_FIXED_CENTS', wholeNumber(0, 100_000), {
    default: '0',
    meaning: 'What the payer pays on top of every payment, in cents.',
    readBy: 'all-in-one, payments-service',
    example: '10',
  }),
  expiryDays: setting('PAYMENT_EXPIRY_DAYS', wholeNumber(1, 3650), {
    default: '30',
    meaning: 'How many days a payment or charge may stay pending.',
    readBy: 'all-in-one, payments-service',
  }),
  ...FUNDING_SETTINGS,
  ...APP_SETTINGS,
  ...CALLER_LIMIT_SETTINGS,
  ...USER_LIMIT_SETTINGS,
  ...MESSAGE_SETTINGS,
  ...KAFKA_SETTINGS,
  ...KAFKA_SIGN_IN_SETTINGS,
  ...PROCESS_SETTINGS,
};

const rows: readonly Setting<unknown>[] = Object.values(SETTINGS_TABLE);

/** The rows of `docs/settings.md`: those of the table, and the files that may hold secrets of it. */
export const DOCUMENTED_SETTINGS = [...rows, ...rows.filter(({ inFile }) => inFile !== undefined).map(fileSetting)];
