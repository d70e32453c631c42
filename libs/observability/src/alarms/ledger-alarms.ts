import { promql, type Alarm } from './alarm.js';

const LINES = 'operations.md#what-lines-and-checks-mean';

/** Alarms of the ledger: its read models, and payments that wait for the worker. */
export const LEDGER_ALARMS: readonly Alarm[] = [
  {
    name: 'SettleNotProjecting',
    expr: promql`sum by (environment) (${'projectionActive'}) != 1`,
    forMinutes: 1,
    severity: 'page',
    summary: 'Not exactly one instance writes the read models ({{ $labels.environment }}).',
    description:
      'Look whether payments-service runs, and for `read models not written` in its log. Events wait; nothing is lost.',
    runbook: LINES,
    fires: { [promql`${'projectionActive'}{environment="live"}`]: '0x60' },
    quiet: {
      [promql`${'projectionActive'}{environment="live",instance="a"}`]: '0x60',
      [promql`${'projectionActive'}{environment="live",instance="b"}`]: '1x60',
    },
  },
  {
    name: 'SettleProjectionFallsBehind',
    expr: promql`deriv((scalar(max(${'eventStorePosition'})) - max by (environment) (${'projectionPosition'}))[10m:1m]) > 0 and scalar(max(${'eventStorePosition'})) - max by (environment) (${'projectionPosition'}) > 1000`,
    forMinutes: 5,
    severity: 'ticket',
    summary: 'The read models ({{ $labels.environment }}) fall further and further behind the log.',
    description:
      'Look at PostgreSQL and at `read models not written`. If it is merely busy, add processor and disk to it.',
    runbook: LINES,
    fires: {
      [promql`${'eventStorePosition'}`]: '0+1000x60',
      [promql`${'projectionPosition'}{environment="live"}`]: '0+500x60',
    },
    quiet: {
      [promql`${'eventStorePosition'}`]: '0+1000x60',
      [promql`${'projectionPosition'}{environment="live"}`]: '0+1000x60',
    },
  },
  {
    name: 'SettleProjectionBehind',
    expr: promql`max by (environment) (${'projectionBehindSeconds'}) > 5`,
    forMinutes: 1,
    severity: 'page',
    summary: 'Reads ({{ $labels.environment }}) are old, and payments are acknowledged late.',
    description: 'A takeover lasts up to 3 s. If it lasts longer, look at PostgreSQL and at `read models not written`.',
    runbook: LINES,
    fires: { [promql`${'projectionBehindSeconds'}{environment="live"}`]: '10x60' },
    quiet: { [promql`${'projectionBehindSeconds'}{environment="live"}`]: '2x60' },
  },
  {
    name: 'SettleLedgerNotObserved',
    expr: promql`(count(${'buildInfo'}) and on () count(${'projectionActive'})) unless on () count(${'workerOpen'})`,
    forMinutes: 5,
    severity: 'page',
    summary: 'No instance of payments-service can count its open work.',
    description:
      'The database of payments-service does not answer within a second, or no instance writes the read models.',
    runbook: LINES,
    fires: {
      [promql`${'buildInfo'}{version="0.1.0"}`]: '1x60',
      [promql`${'projectionActive'}{environment="live"}`]: '1x60',
    },
    quiet: {
      [promql`${'buildInfo'}{version="0.1.0"}`]: '1x60',
      [promql`${'projectionActive'}{environment="live"}`]: '1x60',
      [promql`${'workerOpen'}{environment="live",act="finish"}`]: '0x60',
    },
  },
  {
    name: 'SettleTextsReplaced',
    expr: promql`sum by (environment) (increase(${'projectionReplacedTexts'}[10m])) > 0`,
    forMinutes: 0,
    severity: 'ticket',
    summary: 'A service lets texts through that it should refuse.',
    description: 'The log names the payments: find out which client or service accepted the text, and report it.',
    runbook: LINES,
    fires: { [promql`${'projectionReplacedTexts'}{environment="live"}`]: '0x55 1x5' },
    quiet: { [promql`${'projectionReplacedTexts'}{environment="live"}`]: '1x60' },
  },
  {
    name: 'SettlePaymentsUnfinished',
    expr: promql`sum by (environment) (rate(${'workerRows'}{act="finish"}[15m])) > 0`,
    forMinutes: 30,
    severity: 'ticket',
    summary: 'Payments ({{ $labels.environment }}) are left unfinished, and the worker finishes them.',
    description:
      'After a restart this is normal for some minutes. Otherwise look for `open work failed; postponed` and for instances that end again and again.',
    runbook: LINES,
    fires: { [promql`${'workerRows'}{environment="live",act="finish"}`]: '0+5x60' },
    quiet: { [promql`${'workerRows'}{environment="live",act="finish"}`]: '0x20 50x39' },
  },
  {
    name: 'SettleWorkerBacklog',
    expr: promql`max by (environment) (${'workerOpen'}{act="finish"}) > 1000`,
    forMinutes: 10,
    severity: 'page',
    summary: 'Many payments ({{ $labels.environment }}) are in progress and not finished: their money is in transit.',
    description:
      'Look for `open work failed; postponed`: `err` says why. Nothing is lost; they are tried again every 10 s.',
    runbook: LINES,
    fires: { [promql`${'workerOpen'}{environment="live",act="finish"}`]: '2000x60' },
    quiet: {
      [promql`${'workerOpen'}{environment="live",act="finish"}`]: '100x60',
      [promql`${'workerOpen'}{environment="live",act="expire"}`]: '5000x60',
    },
  },
];
