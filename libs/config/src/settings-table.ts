import {
  eventStoreDbUrl,
  folder,
  hostName,
  longSecret,
  moneyAsCents,
  oneOf,
  postgresUrl,
  webOrigin,
  webOrigins,
  wholeNumber,
} from './setting-parsers.js';
import { APP_SETTINGS } from './app-settings.js';
import { CALLER_LIMIT_SETTINGS } from './caller-limit-settings.js';
import { DEMO_SETTINGS } from './demo-settings.js';
import { KAFKA_SETTINGS } from './kafka-settings.js';
import { KAFKA_SIGN_IN_SETTINGS } from './kafka-sign-in-settings.js';
import { MESSAGE_SETTINGS } from './message-settings.js';
import { PROCESS_SETTINGS } from './process-settings.js';
import { SECRET_FILE_SETTINGS } from './secret-file-settings.js';
import { setting } from './setting.js';
import { USER_LIMIT_SETTINGS } from './user-limit-settings.js';

const NODE_ENVS = ['development', 'test', 'production'] as const;
const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
const EVENT_STORES = ['postgres', 'eventstoredb'] as const;
const CONTACT_VISIBILITIES = ['everyone', 'friends', 'self'] as const;

export type NodeEnv = (typeof NODE_ENVS)[number];
export type LogLevel = (typeof LOG_LEVELS)[number];
export type ContactVisibility = (typeof CONTACT_VISIBILITIES)[number];

/** Every setting of the product. `docs/settings.md` is made from this table. */
export const SETTINGS_TABLE = {
  nodeEnv: setting({
    name: 'NODE_ENV',
    default: 'development',
    meaning:
      'In `production` there is no demo data, and secrets and a public address must be real. The container image sets `production`.',
    expects: 'one of development, test, production',
    example: 'production',
    parse: oneOf(NODE_ENVS),
  }),
  host: setting({
    name: 'HOST',
    default: '127.0.0.1',
    meaning: 'The address that is listened on. Only this machine can connect until it is changed.',
    readBy: 'all-in-one, api-gateway, auth-service, stack',
    expects: 'a host name or an IP address',
    example: '0.0.0.0',
    parse: hostName,
  }),
  port: setting({
    name: 'PORT',
    default: '3000',
    meaning: 'The port that is listened on. With `npm start` and `npm run stack`, `0` takes a free one.',
    readBy: 'all-in-one, api-gateway, auth-service, stack',
    expects: 'a whole number from 1 to 65535, or 0 with `npm start` and `npm run stack`',
    example: '3000',
    parse: wholeNumber(1, 65_535),
  }),
  publicUrl: setting({
    name: 'PUBLIC_URL',
    default: null,
    otherwise: '`http://localhost:<PORT>`; auth-service and users-service on their own need one',
    meaning: 'The address under which people and apps reach the product; every link is built from it.',
    expects: 'an http or https address without path, query or credentials',
    example: 'https://pay.example.com',
    isSecret: true,
    parse: webOrigin,
  }),
  dataDir: setting({
    name: 'DATA_DIR',
    default: '.data',
    meaning: 'The folder that holds the embedded database and what else must outlive a restart.',
    readBy: 'all-in-one, stack',
    expects: 'the path of a folder',
    example: '.data',
    parse: folder,
  }),
  databaseUrl: setting({
    name: 'DATABASE_URL',
    default: null,
    otherwise: 'the embedded PostgreSQL; a service on its own needs one',
    meaning:
      'A PostgreSQL 15 or newer of your own, as a role that may create databases and roles; for a service on its own: ' +
      'its own database, as the role that reads and writes the rows.',
    readBy: 'all-in-one, stack, auth-service, users-service, payments-service',
    expects: 'the address of a PostgreSQL server',
    example: 'postgres://user:password@localhost:5432/postgres',
    isSecret: true,
    hasFile: true,
    parse: postgresUrl,
  }),
  migrationsDatabaseUrl: setting({
    name: 'MIGRATIONS_DATABASE_URL',
    default: null,
    otherwise: 'none; `npm start` and the stack make the role and its password themselves',
    meaning:
      "A service's own database as the role that owns its tables. Only the command that migrates them and a rebuild of " +
      'the read models read it; the services themselves never need it.',
    readBy: 'migrate, projections',
    expects: 'the address of a PostgreSQL server',
    example: 'postgres://settle_payments_migrations:password@localhost:5432/settle_payments',
    isSecret: true,
    hasFile: true,
    parse: postgresUrl,
  }),
  eventStore: setting({
    name: 'EVENT_STORE',
    default: 'postgres',
    meaning: 'Where the events of the ledger live: in the PostgreSQL database, or in an EventStoreDB.',
    readBy: 'all-in-one, payments-service',
    expects: `one of ${EVENT_STORES.join(', ')}`,
    example: 'eventstoredb',
    parse: oneOf(EVENT_STORES),
  }),
  eventStoreUrl: setting({
    name: 'EVENTSTORE_URL',
    default: null,
    otherwise: 'none; needed with `EVENT_STORE=eventstoredb`',
    meaning: 'An EventStoreDB 23.10 or newer, as a user who may read `$all`.',
    readBy: 'all-in-one, payments-service',
    expects: 'the address of an EventStoreDB server',
    example: 'esdb://localhost:2113?tls=false',
    isSecret: true,
    hasFile: true,
    parse: eventStoreDbUrl,
  }),
  ...DEMO_SETTINGS,
  logLevel: setting({
    name: 'LOG_LEVEL',
    default: 'info',
    meaning: 'The least severe line that is still logged.',
    expects: `one of ${LOG_LEVELS.join(', ')}`,
    example: 'info',
    parse: oneOf(LOG_LEVELS),
  }),
  corsOrigins: setting({
    name: 'CORS_ORIGINS',
    default: null,
    otherwise: 'none',
    meaning: 'Origins of other web pages whose scripts may call the interface, separated by commas.',
    readBy: 'all-in-one, api-gateway',
    expects: 'a list of origins separated by commas',
    example: 'https://app.example.com,https://other.example.com',
    parse: webOrigins,
  }),
  introspectionSecret: setting({
    name: 'INTROSPECTION_SECRET',
    default: null,
    otherwise: 'none: requests are refused',
    meaning: 'With it a service of your own may ask auth-service, at its own port, what a token stands for.',
    readBy: 'all-in-one, auth-service',
    expects: '32 to 255 visible characters',
    example: '<secret>',
    isSecret: true,
    hasFile: true,
    parse: longSecret,
  }),
  securityLogKey: setting({
    name: 'SECURITY_LOG_KEY',
    default: null,
    otherwise: "32 random bytes, made once and kept in auth-service's database",
    meaning:
      'The key of the hashes of addresses and browsers in the security log. With another key the same visitor has other hashes.',
    readBy: 'all-in-one, auth-service',
    expects: '32 to 255 visible characters',
    example: '<secret>',
    isSecret: true,
    hasFile: true,
    parse: longSecret,
  }),
  refreshLeewaySeconds: setting({
    name: 'REFRESH_LEEWAY',
    default: '10',
    meaning:
      'How many seconds a refresh token may be used again after its first use, for apps that refresh twice at once or lose ' +
      'the answer; each use gives tokens of its own. After that a further use revokes all tokens of the authorization. With 0 it works once.',
    readBy: 'all-in-one, auth-service',
    expects: 'a whole number from 0 to 60',
    example: '10',
    parse: wholeNumber(0, 60),
  }),
  contactVisibility: setting({
    name: 'CONTACT_VISIBILITY',
    default: null,
    otherwise: '`everyone`; `friends` in production',
    meaning: 'The users whose e-mail and phone a token with the scope may read: all, friends, or only its own user.',
    readBy: 'all-in-one, users-service',
    expects: 'one of everyone, friends, self',
    example: 'friends',
    parse: oneOf(CONTACT_VISIBILITIES),
  }),
  maxAmountCents: setting({
    name: 'MAX_AMOUNT',
    default: '2999.99',
    meaning: 'The largest amount of one payment or charge.',
    readBy: 'all-in-one, api-gateway',
    expects: 'a positive amount with at most two fraction digits',
    example: '2999.99',
    parse: moneyAsCents,
  }),
  feeBps: setting({
    name: 'FEE_BPS',
    default: '0',
    meaning: 'The share of the amount that the payer pays on top, in hundredths of a percent.',
    readBy: 'all-in-one, payments-service',
    expects: 'a whole number from 0 to 10000',
    example: '25',
    parse: wholeNumber(0, 10_000),
  }),
  feeFixedCents: setting({
    name: 'FEE_FIXED_CENTS',
    default: '0',
    meaning: 'What the payer pays on top of every payment, in cents.',
    readBy: 'all-in-one, payments-service',
    expects: 'a whole number from 0 to 100000',
    example: '10',
    parse: wholeNumber(0, 100_000),
  }),
  expiryDays: setting({
    name: 'PAYMENT_EXPIRY_DAYS',
    default: '30',
    meaning: 'How many days a payment or charge may stay pending.',
    readBy: 'all-in-one, payments-service',
    expects: 'a whole number from 1 to 3650',
    example: '30',
    parse: wholeNumber(1, 3650),
  }),
  ...APP_SETTINGS,
  ...CALLER_LIMIT_SETTINGS,
  ...USER_LIMIT_SETTINGS,
  ...MESSAGE_SETTINGS,
  ...KAFKA_SETTINGS,
  ...KAFKA_SIGN_IN_SETTINGS,
  ...PROCESS_SETTINGS,
  ...SECRET_FILE_SETTINGS,
};
