import { promql, type Alarm } from './alarm.js';

const LINES = 'operations.md#what-lines-and-checks-mean';
const TOPIC = 'operations.md#a-topic-ahead-of-the-ledger';

/** Alarms of what the services depend on: Kafka, PostgreSQL, and the event store on PostgreSQL or EventStoreDB. */
export const STORE_ALARMS: readonly Alarm[] = [
  {
    name: 'SettleKafkaRecordsWait',
    expr: promql`${'kafkaRecordsWaiting'} > 1000`,
    forMinutes: 1,
    severity: 'page',
    summary: 'Records wait in {{ $labels.instance }} to be sent to Kafka.',
    description:
      'Look at the brokers: leaders, disk space, `min.insync.replicas`. Look for `messages not stored` in the log.',
    runbook: LINES,
    fires: { [promql`${'kafkaRecordsWaiting'}`]: '2000x60' },
    quiet: { [promql`${'kafkaRecordsWaiting'}`]: '500x60' },
  },
  {
    name: 'SettleKafkaReaderLost',
    expr: promql`${'kafkaReaderAlive'} == 0`,
    forMinutes: 1,
    severity: 'page',
    summary: '{{ $labels.instance }} does not read the topic {{ $labels.topic }}.',
    description:
      'Look at the brokers; a rebalance ends by itself. A process that Kafka removed for good ends, and must be started again.',
    runbook: LINES,
    fires: { [promql`${'kafkaReaderAlive'}{kind="requests",topic="payments.commands"}`]: '1x50 0x10' },
    quiet: { [promql`${'kafkaReaderAlive'}{kind="requests",topic="payments.commands"}`]: '1x60' },
  },
  {
    name: 'SettleNotPublishing',
    expr: promql`sum(${'publishingActive'}) != 1`,
    forMinutes: 1,
    severity: 'ticket',
    summary: 'Not exactly one instance publishes public events.',
    description:
      'Look for `holds an event that the ledger does not have` and `public events cannot be published yet` in the log of payments-service.',
    runbook: TOPIC,
    fires: {
      [promql`${'publishingActive'}{instance="a"}`]: '0x60',
      [promql`${'publishingActive'}{instance="b"}`]: '0x60',
    },
    quiet: {
      [promql`${'publishingActive'}{instance="a"}`]: '1x60',
      [promql`${'publishingActive'}{instance="b"}`]: '0x60',
    },
  },
  {
    name: 'SettlePublishingBehind',
    expr: promql`max(${'publishingBehindSeconds'}) > 30`,
    forMinutes: 1,
    severity: 'ticket',
    summary: 'Other systems learn of payments late.',
    description: 'Look at the leader of `payments.events.v1`, and for `public events not published` in the log.',
    runbook: LINES,
    fires: { [promql`${'publishingBehindSeconds'}`]: '60x60' },
    quiet: { [promql`${'publishingBehindSeconds'}`]: '10x60' },
  },
  {
    name: 'SettlePoolExhausted',
    expr: promql`avg_over_time((${'poolWaiting'} > bool 0)[5m:1m]) > 0.5`,
    forMinutes: 1,
    severity: 'page',
    summary: 'Queries of {{ $labels.instance }} wait for a connection of the pool {{ $labels.pool }}.',
    description:
      'Look at PostgreSQL: slow queries, locks, disk. If it has nothing to do, the instance has too much: add one, within `max_connections`.',
    runbook: 'operations.md#start',
    fires: { [promql`${'poolWaiting'}{pool="payments"}`]: '5x60' },
    quiet: { [promql`${'poolWaiting'}{pool="payments"}`]: '0x56 5 0x3' },
  },
  {
    name: 'SettleEventsNotStored',
    expr: promql`sum(increase(${'eventStoreUnits'}{outcome="failed"}[5m])) > 0`,
    forMinutes: 1,
    severity: 'page',
    summary: 'Payments cannot be stored.',
    description:
      'The event store, PostgreSQL or EventStoreDB, is unavailable, full or did not answer. Look at it; after a failover, look whether the log went back.',
    runbook: 'operations.md#failover-and-a-log-that-went-back',
    fires: { [promql`${'eventStoreUnits'}{outcome="failed"}`]: '0x50 1+1x9' },
    quiet: { [promql`${'eventStoreUnits'}{outcome="failed"}`]: '0x20 1x39' },
  },
  {
    name: 'SettleEventConflicts',
    expr: promql`sum(rate(${'eventStoreUnits'}{outcome="conflict"}[5m])) / sum(rate(${'eventStoreUnits'}{outcome="stored"}[5m])) > 0.1`,
    forMinutes: 10,
    severity: 'ticket',
    summary: 'Several instances write to the same wallets.',
    description:
      'Look whether the consumer group of `payments.commands` rebalances again and again. Conflicts lose nothing: the ledger decides anew.',
    runbook: 'operations.md#scale',
    fires: {
      [promql`${'eventStoreUnits'}{outcome="conflict"}`]: '0+20x60',
      [promql`${'eventStoreUnits'}{outcome="stored"}`]: '0+100x60',
    },
    quiet: {
      [promql`${'eventStoreUnits'}{outcome="conflict"}`]: '0+5x60',
      [promql`${'eventStoreUnits'}{outcome="stored"}`]: '0+100x60',
    },
  },
  {
    name: 'SettleEventStoreSlow',
    expr: promql`${'eventStoreUnitsWaiting'} > 1000`,
    forMinutes: 1,
    severity: 'page',
    summary: 'The event store is slower than the payments that come in.',
    description: 'Look at the disk of the event store, PostgreSQL or EventStoreDB, and at its synchronous standby.',
    runbook: LINES,
    fires: { [promql`${'eventStoreUnitsWaiting'}`]: '2000x60' },
    quiet: { [promql`${'eventStoreUnitsWaiting'}`]: '500x60' },
  },
];
