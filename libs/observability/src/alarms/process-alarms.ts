import { promql, type Alarm } from './alarm.js';

const LINES = 'operations.md#what-lines-and-checks-mean';

/** Alarms of every process, and of the security log. */
export const PROCESS_ALARMS: readonly Alarm[] = [
  {
    name: 'SettleProcessDown',
    expr: 'up{job="settle"} == 0',
    forMinutes: 2,
    severity: 'page',
    summary: '{{ $labels.instance }} does not answer at /metrics.',
    description:
      'Look whether the process runs, and read its last lines. A process that says that the event log went back must not be started on another copy of the data.',
    runbook: 'operations.md#start',
    fires: { 'up{job="settle",instance="a"}': '1x50 0x10' },
    quiet: { 'up{job="settle",instance="a"}': '1x58 0 1' },
  },
  {
    name: 'SettleNotObserved',
    expr: promql`absent(${'buildInfo'})`,
    forMinutes: 5,
    severity: 'page',
    summary: 'Prometheus reads no process of Settle.',
    description:
      'Look whether any process runs, and whether Prometheus reaches their health ports. No other alarm can fire meanwhile.',
    runbook: 'monitoring.md#prometheus',
    fires: {},
    quiet: { [promql`${'buildInfo'}{version="0.1.0"}`]: '1x60' },
  },
  {
    name: 'SettleVersionsDiffer',
    expr: promql`count(count by (version, commit) (${'buildInfo'})) > 1`,
    forMinutes: 30,
    severity: 'ticket',
    summary: 'Processes of different versions run beside each other.',
    description: 'Finish the upgrade, or take it back: every process should run the same version.',
    runbook: 'operations.md#upgrade',
    fires: {
      [promql`${'buildInfo'}{version="1.0.0"}`]: '1x60',
      [promql`${'buildInfo'}{version="1.1.0"}`]: '1x60',
    },
    quiet: {
      [promql`${'buildInfo'}{version="1.0.0",instance="a"}`]: '1x60',
      [promql`${'buildInfo'}{version="1.0.0",instance="b"}`]: '1x60',
    },
  },
  {
    name: 'SettleErrorsLogged',
    expr: promql`sum by (instance) (rate(${'logLines'}{level=~"error|fatal"}[5m])) > 0`,
    forMinutes: 5,
    severity: 'ticket',
    summary: '{{ $labels.instance }} logs errors.',
    description: 'Read the lines of level error and fatal, and find each in the table of lines.',
    runbook: LINES,
    fires: { [promql`${'logLines'}{level="error"}`]: '0+1x60' },
    quiet: { [promql`${'logLines'}{level="error"}`]: '7x60', [promql`${'logLines'}{level="warn"}`]: '0+1x60' },
  },
  {
    name: 'SettleEventLoopSlow',
    expr: 'nodejs_eventloop_lag_p99_seconds > 0.2',
    forMinutes: 5,
    severity: 'ticket',
    summary: '{{ $labels.instance }} has more to do than it can.',
    description: 'Add an instance of that service, each with a processor core of its own.',
    runbook: 'operations.md#scale',
    fires: { nodejs_eventloop_lag_p99_seconds: '0.3x60' },
    quiet: { nodejs_eventloop_lag_p99_seconds: '0.1x60' },
  },
  {
    name: 'SettleTokensReused',
    expr: promql`sum by (event) (increase(${'securityEvents'}{event=~"refresh_token_reused|authorization_code_reused"}[10m])) > 0`,
    forMinutes: 0,
    severity: 'ticket',
    summary: 'A token or code was used twice ({{ $labels.event }}): it was stolen, or an app is broken.',
    description:
      'Find the app and the user in the security log. If it is more than one user of an app, suspend the app.',
    runbook: 'operations.md#a-harmful-app',
    fires: { [promql`${'securityEvents'}{event="refresh_token_reused"}`]: '0x55 1x5' },
    quiet: { [promql`${'securityEvents'}{event="refresh_token_reused"}`]: '0x20 1x40' },
  },
  {
    name: 'SettleGuessing',
    // A mean of looks, so that a younger installation than a day is compared with the time that it has.
    expr: promql`sum by (event) (rate(${'securityEvents'}{event=~"sign_in_failed|sign_in_throttled|code_refused"}[10m])) > 0.1 and sum by (event) (rate(${'securityEvents'}{event=~"sign_in_failed|sign_in_throttled|code_refused"}[10m])) > 10 * avg_over_time((sum by (event) (rate(${'securityEvents'}{event=~"sign_in_failed|sign_in_throttled|code_refused"}[10m])))[1d:10m] offset 15m)`,
    forMinutes: 5,
    severity: 'ticket',
    summary: 'An attacker guesses: {{ $labels.event }} at ten times the usual rate.',
    description:
      'Group the lines of the security log by addressHash: block the addresses at the proxy. Passwords and codes are throttled meanwhile.',
    runbook: 'operations.md#security-log',
    fires: { [promql`${'securityEvents'}{event="sign_in_failed"}`]: '0+1x45 100+100x14' },
    quiet: { [promql`${'securityEvents'}{event="sign_in_failed"}`]: '0+100x60' },
  },
  {
    name: 'SettleUsersNotPublished',
    expr: promql`max(${'outboxRows'}) > 0`,
    forMinutes: 5,
    severity: 'page',
    summary: 'Changes of users, such as freezes, do not reach the other services.',
    description:
      'Look whether users-service runs and logs `publishing from the outbox failed`; then look at the brokers.',
    runbook: LINES,
    fires: { [promql`${'outboxRows'}`]: '3x60' },
    quiet: { [promql`${'outboxRows'}`]: '3x57 0x3' },
  },
];
