import { promql, type Alarm } from './alarm.js';

const LINES = 'operations.md#what-lines-and-checks-mean';
const SCALE = 'operations.md#scale';

/** Alarms of requests: over HTTP, and between services. */
export const REQUEST_ALARMS: readonly Alarm[] = [
  {
    name: 'SettleHttpErrors',
    expr: promql`sum(rate(${'httpRequestSeconds'}_count{status="5xx"}[5m])) / sum(rate(${'httpRequestSeconds'}_count[5m])) > 0.01`,
    forMinutes: 5,
    severity: 'page',
    summary: 'More than 1 % of all requests get a status of 500 or more.',
    description:
      'Look which status it is. 503: a store, the brokers or a service are unavailable. 504: a command was sent and not answered. 500: a bug, report it with its log lines.',
    runbook: LINES,
    fires: {
      [promql`${'httpRequestSeconds'}_count{status="2xx"}`]: '0+98x60',
      [promql`${'httpRequestSeconds'}_count{status="5xx"}`]: '0+2x60',
    },
    quiet: {
      [promql`${'httpRequestSeconds'}_count{status="2xx"}`]: '0+995x60',
      [promql`${'httpRequestSeconds'}_count{status="5xx"}`]: '0+5x60',
    },
  },
  {
    name: 'SettlePaymentsSlow',
    expr: promql`histogram_quantile(0.99, sum by (le) (rate(${'httpRequestSeconds'}_bucket{route="/v1/payments",method="POST"}[5m]))) > 1`,
    forMinutes: 10,
    severity: 'ticket',
    summary: 'One in a hundred payments takes longer than a second.',
    description:
      'Compare the dashboards of PostgreSQL and the ledger: do queries wait for connections, or do the read models lag? Otherwise add instances. Replace the second by the time that you promise.',
    runbook: SCALE,
    fires: {
      [promql`${'httpRequestSeconds'}_bucket{route="/v1/payments",method="POST",le="1"}`]: '0+90x60',
      [promql`${'httpRequestSeconds'}_bucket{route="/v1/payments",method="POST",le="2.5"}`]: '0+100x60',
      [promql`${'httpRequestSeconds'}_bucket{route="/v1/payments",method="POST",le="+Inf"}`]: '0+100x60',
    },
    quiet: {
      [promql`${'httpRequestSeconds'}_bucket{route="/v1/payments",method="POST",le="1"}`]: '0+100x60',
      [promql`${'httpRequestSeconds'}_bucket{route="/v1/payments",method="POST",le="2.5"}`]: '0+100x60',
      [promql`${'httpRequestSeconds'}_bucket{route="/v1/payments",method="POST",le="+Inf"}`]: '0+100x60',
    },
  },
  {
    name: 'SettleGatewayFull',
    // The setting REQUESTS_IN_PROGRESS is 256 unless it is set.
    expr: promql`${'httpRequestsInProgress'} > 200`,
    forMinutes: 1,
    severity: 'page',
    summary: '{{ $labels.instance }} answers nearly as many requests at once as REQUESTS_IN_PROGRESS allows.',
    description:
      'If the latency is normal, add gateways; otherwise find what is slow behind them. Replace 200 if you set REQUESTS_IN_PROGRESS.',
    runbook: SCALE,
    fires: { [promql`${'httpRequestsInProgress'}`]: '250x60' },
    quiet: { [promql`${'httpRequestsInProgress'}`]: '100x60' },
  },
  {
    name: 'SettleAppRefused',
    expr: promql`sum by (app) (rate(${'appRequests'}{outcome="refused"}[5m])) / sum by (app) (rate(${'appRequests'}[5m])) > 0.1`,
    forMinutes: 5,
    severity: 'ticket',
    summary: 'More than a tenth of the requests of app {{ $labels.app }} are refused.',
    description:
      'Ask its developers whether it needs so many requests; then raise RATE_LIMIT_APP_PER_SECOND. An app that does harm can be suspended.',
    runbook: 'operations.md#a-harmful-app',
    fires: {
      [promql`${'appRequests'}{app="a",outcome="admitted"}`]: '0+80x60',
      [promql`${'appRequests'}{app="a",outcome="refused"}`]: '0+20x60',
    },
    quiet: {
      [promql`${'appRequests'}{app="a",outcome="admitted"}`]: '0+95x60',
      [promql`${'appRequests'}{app="a",outcome="refused"}`]: '0+5x60',
    },
  },
  {
    name: 'SettleBusRequestsFail',
    expr: promql`sum by (pattern) (rate(${'busRequestSeconds'}_count{side="asked",outcome="failed"}[5m])) / sum by (pattern) (rate(${'busRequestSeconds'}_count{side="asked"}[5m])) > 0.01`,
    forMinutes: 5,
    severity: 'page',
    summary: 'More than 1 % of the requests {{ $labels.pattern }} between services fail.',
    description: 'Look at the readiness of the service that answers this pattern, at its log, and at the brokers.',
    runbook: LINES,
    fires: {
      [promql`${'busRequestSeconds'}_count{side="asked",pattern="payments.create",outcome="ok"}`]: '0+90x60',
      [promql`${'busRequestSeconds'}_count{side="asked",pattern="payments.create",outcome="failed"}`]: '0+10x60',
    },
    quiet: {
      [promql`${'busRequestSeconds'}_count{side="asked",pattern="payments.create",outcome="ok"}`]: '0+90x60',
      [promql`${'busRequestSeconds'}_count{side="asked",pattern="payments.create",outcome="refused"}`]: '0+10x60',
    },
  },
  {
    name: 'SettleBusRequestsGrow',
    expr: promql`deriv(${'busRequestsInProgress'}[10m]) > 0 and min_over_time(${'busRequestsInProgress'}[10m]) > 50`,
    forMinutes: 5,
    severity: 'ticket',
    summary: 'More and more requests of {{ $labels.instance }} are in progress ({{ $labels.side }}).',
    description: 'The service that answers is too slow, or unavailable: look at its readiness, then add instances.',
    runbook: SCALE,
    fires: { [promql`${'busRequestsInProgress'}{side="asked"}`]: '0+10x60' },
    quiet: { [promql`${'busRequestsInProgress'}{side="asked"}`]: '600x60' },
  },
];
