import { FUNDING_METRICS } from './funding-metrics.js';
import { EVERY, GATEWAY, PAYMENTS, counter, gauge, histogram } from './metric-row.js';

/** Every metric of the product. `docs/metrics.md` is generated from this table. No label holds a user's id or free text. */
export const METRICS = {
  buildInfo: gauge('settle_build_info', {
    labels: ['version', 'commit', 'node'],
    meaning:
      'Always 1. Its labels name the version of the product, its commit if that is known, and the version of Node.',
    shownBy: EVERY,
    alarm: 'several versions beside each other for 30 minutes: an upgrade is not finished; absent: no process is read',
  }),
  logLines: counter('settle_log_lines_total', {
    labels: ['level'],
    meaning: 'Lines logged as warn, error or fatal.',
    shownBy: EVERY,
    alarm: '`rate(settle_log_lines_total{level=~"error|fatal"}[5m]) > 0` for 5 minutes: read the log',
  }),
  httpRequestSeconds: histogram('settle_http_request_duration_seconds', {
    labels: ['route', 'method', 'status'],
    meaning:
      'From the first byte of a request to the end of its answer, by route template (none: no such route) and class of ' +
      'status; aborted stands for callers who left.',
    shownBy: GATEWAY,
    alarm:
      '`5xx` above 1 % of all for 5 minutes; `histogram_quantile(0.99, ...)` of `POST /v1/payments` above what you promise',
  }),
  httpRequestsInProgress: gauge('settle_http_requests_in_progress', {
    meaning: 'Requests that are being answered now.',
    shownBy: GATEWAY,
    alarm: 'near `REQUESTS_IN_PROGRESS` for a minute: more gateways, or something behind them is slow',
  }),
  appRequests: counter('settle_app_requests_total', {
    labels: ['app', 'outcome'],
    meaning:
      'Requests with a valid access token by app: admitted, or refused by a rate limit or for want of a free slot. The ' +
      'first 100 apps of a process are named by their client id, all later ones are `other`.',
    shownBy: GATEWAY,
    alarm:
      '`outcome="refused"` above a tenth of an app for 5 minutes: it asks too much, or `RATE_LIMIT_APP_PER_SECOND` is too low',
  }),
  busRequestSeconds: histogram('settle_bus_request_duration_seconds', {
    labels: ['side', 'pattern', 'outcome'],
    meaning:
      'Requests between services: what this process asked (from asking to the answer) or answered (waiting for its turn ' +
      'included). Outcome: ok, refused (the caller got the reason), failed (unavailable, unknown outcome, or a bug).',
    shownBy: EVERY,
    alarm: '`side="asked", outcome="failed"` above 1 % of a pattern for 5 minutes',
  }),
  busRequestsInProgress: gauge('settle_bus_requests_in_progress', {
    labels: ['side'],
    meaning: 'Requests between services that this process has asked, or has to answer, and that are not over.',
    shownBy: EVERY,
    alarm: 'growing for minutes: the answering service is too slow or unavailable',
  }),
  kafkaRecordsWaiting: gauge('settle_kafka_records_waiting', {
    meaning: 'Records that wait to be sent to Kafka, without those in flight.',
    shownBy: 'every process over Kafka',
    alarm: 'above 1000 for a minute: the broker is slow or unavailable',
  }),
  kafkaReaderAlive: gauge('settle_kafka_reader_alive', {
    labels: ['kind', 'topic'],
    meaning: '1 when the reader of a topic is a member of its group and was heard of lately, else 0.',
    shownBy: 'every process over Kafka',
    alarm: '0 for a minute',
  }),
  poolConnections: gauge('settle_pg_pool_connections', {
    labels: ['pool', 'state'],
    meaning: 'Connections to PostgreSQL by pool, idle or in use.',
    shownBy: 'every process with a database',
  }),
  poolWaiting: gauge('settle_pg_pool_waiting', {
    labels: ['pool'],
    meaning: 'Queries that wait for a free connection of the pool.',
    shownBy: 'every process with a database',
    alarm:
      '`avg_over_time((settle_pg_pool_waiting > bool 0)[5m:1m]) > 0.5`, queries wait more than half of the time: the ' +
      'database is slow, or there are too few instances',
  }),
  eventStoreUnits: counter('settle_event_store_units_total', {
    labels: ['outcome'],
    meaning:
      'Units of events that were to be stored: stored, conflict (another writer was faster; the command is decided again), failed (the store was unavailable or full, or its answer was lost).',
    shownBy: PAYMENTS,
    alarm: '`outcome="failed"` growing; conflicts above a tenth of what is stored: wallets have more than one owner',
  }),
  eventStoreStatements: counter('settle_event_store_statements_total', {
    meaning: 'Statements that stored units in PostgreSQL; units stored divided by these is how many share one flush.',
    shownBy: PAYMENTS,
  }),
  eventStoreUnitsWaiting: gauge('settle_event_store_units_waiting', {
    meaning: 'Units that wait to be stored.',
    shownBy: PAYMENTS,
    alarm: 'above 1000 for a minute: the store is slower than what comes in',
  }),
  eventStorePosition: gauge('settle_event_store_position', {
    meaning:
      'Position of the newest event that this instance has stored or read; the largest of all is the end of the log.',
    shownBy: PAYMENTS,
  }),
  projectionActive: gauge('settle_projection_active', {
    labels: ['environment'],
    meaning: '1 in the instance that writes the read models of an environment (live, or the sandbox), 0 in the others.',
    shownBy: PAYMENTS,
    alarm: '`sum by (environment) (settle_projection_active) != 1` for a minute',
  }),
  projectionPosition: gauge('settle_projection_position', {
    labels: ['environment'],
    meaning: 'Position in the event store up to which the read models are known to be written.',
    shownBy: PAYMENTS,
    alarm:
      '`scalar(max(settle_event_store_position)) - max by (environment) (settle_projection_position)` growing for a minute (on PostgreSQL it counts events, at most)',
  }),
  projectionBehindSeconds: gauge('settle_projection_behind_seconds', {
    labels: ['environment'],
    meaning:
      'How long the read models have been behind: since the events came that this instance is writing, or since one of its answers first needed a position that is not reached; 0 when there is neither. Above 2, commands are answered without waiting for the read models.',
    shownBy: PAYMENTS,
    alarm: 'above 5: reads are old, and payments are acknowledged late',
  }),
  projectionReplacedTexts: counter('settle_projection_replaced_texts_total', {
    labels: ['environment'],
    meaning:
      'Payments of which a text holds what PostgreSQL cannot store (U+0000, a lone surrogate): the read models have U+FFFD in its place, the events are as they were.',
    shownBy: PAYMENTS,
    alarm: 'growing: a service lets texts through that it should refuse; the log names the payments',
  }),
  publishingActive: gauge('settle_publishing_active', {
    meaning: '1 in the instance that publishes public events, 0 in the others.',
    shownBy: `${PAYMENTS} over Kafka`,
    alarm: '`sum(settle_publishing_active) != 1` for a minute',
  }),
  publishingPosition: gauge('settle_publishing_position', {
    meaning: 'Position in the event store up to which this instance knows public events to be published.',
    shownBy: `${PAYMENTS} over Kafka`,
  }),
  publishingBehindSeconds: gauge('settle_publishing_behind_seconds', {
    meaning: 'How long ago the oldest event happened that is read and not published; 0 when there is none.',
    shownBy: `${PAYMENTS} over Kafka`,
    alarm: 'above 30: other systems learn of payments late',
  }),
  workerRows: counter('settle_worker_rows_total', {
    labels: ['environment', 'act'],
    meaning:
      'Open work that the worker processed: payments to finish, to expire, or to ask the provider of funding sources for.',
    shownBy: PAYMENTS,
    alarm: '`act="finish"` at a steady rate without restarts: something leaves payments unfinished',
  }),
  workerOpen: gauge('settle_worker_open', {
    labels: ['environment', 'act'],
    meaning: 'Open work in the read models, counted up to 10000: payments in progress (finish) and pending (expire).',
    shownBy: `${PAYMENTS}, the instance that projects`,
    alarm: '`act="finish"` above 1000 for 10 minutes: read the log; absent: the database does not answer',
  }),
  moneyHeld: gauge('settle_money_held_cents', {
    labels: ['environment'],
    meaning: 'Money in transit that waits for its receiver: the amounts of pending pays to unverified addresses.',
    shownBy: `${PAYMENTS}, the instance that projects`,
  }),
  ...FUNDING_METRICS,
  securityEvents: counter('settle_security_events_total', {
    labels: ['event'],
    meaning: 'Lines of the [security log](security-log.md), by event, whether or not the log level lets them through.',
    shownBy: 'auth-service',
    alarm:
      '`event=~"refresh_token_reused|authorization_code_reused"` growing: tokens were stolen, or an app is broken; ' +
      '`sign_in_failed`, `sign_in_throttled` or `code_refused` at ten times the usual rate: an attacker guesses',
  }),
  outboxRows: gauge('settle_outbox_rows', {
    meaning: 'Stored changes of users that are not published yet, counted up to 10000.',
    shownBy: 'users-service',
    alarm: 'above 0 in every scrape for 5 minutes: no instance publishes',
  }),
};

export type MetricKey = keyof typeof METRICS;
