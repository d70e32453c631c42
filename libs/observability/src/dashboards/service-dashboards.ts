import { promql } from '../alarms/alarm.js';
import { panel, query, row, type Dashboard } from './grafana.js';

/** Dashboards of the services themselves: requests and processes. */
export const SERVICE_OVERVIEW: Dashboard = {
  name: 'service-overview',
  title: 'service overview',
  meaning: 'requests over HTTP and between services, errors and latency, the processes and their versions',
  rows: [
    row(
      'Requests over HTTP',
      panel(
        'Requests by class of status',
        'reqps',
        query('{{status}}', promql`sum by (status) (rate(${'httpRequestSeconds'}_count[$__rate_interval]))`),
      ),
      panel(
        'Share of errors',
        'percentunit',
        query(
          '5xx',
          promql`(sum(rate(${'httpRequestSeconds'}_count{status="5xx"}[$__rate_interval])) or vector(0)) / sum(rate(${'httpRequestSeconds'}_count[$__rate_interval]))`,
        ),
      ),
      panel(
        '99 of 100 answered within, by route',
        's',
        query(
          '{{method}} {{route}}',
          promql`histogram_quantile(0.99, sum by (le, route, method) (rate(${'httpRequestSeconds'}_bucket[$__rate_interval])))`,
        ),
      ),
      panel('Requests in progress', 'short', query('{{instance}}', promql`${'httpRequestsInProgress'}`)),
      panel(
        'Requests by app',
        'reqps',
        query('{{app}} {{outcome}}', promql`sum by (app, outcome) (rate(${'appRequests'}[$__rate_interval]))`),
      ),
      panel(
        'Security events',
        'short',
        query('{{event}}', promql`sum by (event) (increase(${'securityEvents'}[$__rate_interval]))`),
      ),
    ),
    row(
      'Requests between services',
      panel(
        'Answered requests by pattern',
        'reqps',
        query(
          '{{pattern}}',
          promql`sum by (pattern) (rate(${'busRequestSeconds'}_count{side="answered"}[$__rate_interval]))`,
        ),
      ),
      panel(
        'Failed requests by pattern',
        'reqps',
        query(
          '{{pattern}}',
          promql`sum by (pattern) (rate(${'busRequestSeconds'}_count{side="asked",outcome="failed"}[$__rate_interval]))`,
        ),
      ),
      panel('In progress', 'short', query('{{instance}} {{side}}', promql`${'busRequestsInProgress'}`)),
    ),
    row(
      'Processes',
      panel(
        'Versions',
        'short',
        query('{{version}} {{commit}} on Node {{node}}', promql`count by (version, commit, node) (${'buildInfo'})`),
      ),
      panel(
        'Processor cores used',
        'short',
        query('{{instance}}', 'rate(process_cpu_seconds_total{job="settle"}[$__rate_interval])'),
      ),
      panel('Memory', 'bytes', query('{{instance}}', 'process_resident_memory_bytes{job="settle"}')),
      panel(
        'Delay of the event loop, 99th percentile',
        's',
        query('{{instance}}', 'nodejs_eventloop_lag_p99_seconds{job="settle"}'),
      ),
      panel(
        'Lines of warn and above',
        'short',
        query('{{instance}} {{level}}', promql`sum by (instance, level) (increase(${'logLines'}[$__rate_interval]))`),
      ),
      panel('Changes of users that wait to be published', 'short', query('waiting', promql`max(${'outboxRows'})`)),
    ),
  ],
};

/** The dashboard of the payments themselves. */
export const BUSINESS: Dashboard = {
  name: 'business',
  title: 'payments and money',
  meaning: 'payments a second, why they fail, money that waits, and the payment provider',
  rows: [
    row(
      'Payments',
      panel(
        'Payments asked for',
        'reqps',
        query(
          '{{status}}',
          promql`sum by (status) (rate(${'httpRequestSeconds'}_count{route="/v1/payments",method="POST"}[$__rate_interval]))`,
        ),
      ),
      panel(
        'Share of payments that are not made',
        'percentunit',
        query(
          '{{status}}',
          promql`sum by (status) (rate(${'httpRequestSeconds'}_count{route="/v1/payments",method="POST",status!="2xx"}[$__rate_interval])) / ignoring (status) group_left () sum(rate(${'httpRequestSeconds'}_count{route="/v1/payments",method="POST"}[$__rate_interval]))`,
        ),
      ),
      panel(
        'Open payments',
        'short',
        query('{{environment}} {{act}}', promql`max by (environment, act) (${'workerOpen'})`),
      ),
    ),
    row(
      'Amounts',
      panel('Money in transit', 'short', query('{{environment}}', promql`max by (environment) (${'moneyHeld'}) / 100`)),
      panel(
        'Money that waits',
        'short',
        query(
          '{{environment}} {{kind}} for {{waits_for}}',
          promql`max by (environment, kind, waits_for) (${'fundingPendingCents'}) / 100`,
        ),
      ),
      panel(
        'Balances below zero',
        'short',
        query('{{environment}}', promql`max by (environment) (${'moneyBelowZero'}) / 100`),
      ),
    ),
    row(
      'Money from and to the outside',
      panel(
        'Waiting',
        'short',
        query('{{kind}} for {{waits_for}}', promql`max by (kind, waits_for) (${'fundingPending'}{environment="live"})`),
      ),
      panel(
        'The oldest has waited for',
        's',
        query(
          '{{kind}} for {{waits_for}}',
          promql`max by (kind, waits_for) (${'fundingPendingSeconds'}{environment="live"})`,
        ),
      ),
      panel(
        'Requests to the provider',
        'reqps',
        query(
          '{{operation}} {{outcome}}',
          promql`sum by (operation, outcome) (rate(${'providerRequestSeconds'}_count[$__rate_interval]))`,
        ),
      ),
      panel(
        '99 of 100 answered by the provider within',
        's',
        query(
          '{{operation}}',
          promql`histogram_quantile(0.99, sum by (le, operation) (rate(${'providerRequestSeconds'}_bucket[$__rate_interval])))`,
        ),
        query('waiting requests: {{state}}', promql`sum by (state) (${'providerRequestsInProgress'})`),
      ),
      panel(
        'Callbacks',
        'reqps',
        query('{{outcome}}', promql`sum by (outcome) (rate(${'providerCallbacks'}[$__rate_interval]))`),
        query('not applied yet', promql`max(${'providerHintsUnhandled'})`),
      ),
      panel('Changes behind', 's', query('behind', promql`min(${'providerChangesBehindSeconds'})`)),
    ),
  ],
};
