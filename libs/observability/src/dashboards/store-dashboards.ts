import { promql } from '../alarms/alarm.js';
import { panel, query, row, type Dashboard } from './grafana.js';

export const LEDGER: Dashboard = {
  name: 'ledger',
  title: 'ledger',
  meaning: 'the event store, the read models and the worker',
  rows: [
    row(
      'Event store',
      panel(
        'Units of events',
        'ops',
        query('{{outcome}}', promql`sum by (outcome) (rate(${'eventStoreUnits'}[$__rate_interval]))`),
      ),
      panel('Units that wait', 'short', query('{{instance}}', promql`${'eventStoreUnitsWaiting'}`)),
      panel(
        'Events of the log',
        'ops',
        query('positions', promql`rate(max(${'eventStorePosition'})[$__rate_interval:])`),
      ),
    ),
    row(
      'Read models',
      panel('Behind', 's', query('{{environment}}', promql`max by (environment) (${'projectionBehindSeconds'})`)),
      panel(
        'Positions behind the log',
        'short',
        query(
          '{{environment}}',
          promql`scalar(max(${'eventStorePosition'})) - max by (environment) (${'projectionPosition'})`,
        ),
      ),
      panel(
        'Instances that write',
        'short',
        query('{{environment}}', promql`sum by (environment) (${'projectionActive'})`),
        query('{{environment}}: replaced texts', promql`sum by (environment) (${'projectionReplacedTexts'})`),
      ),
    ),
    row(
      'Worker',
      panel(
        'Processed',
        'ops',
        query('{{environment}} {{act}}', promql`sum by (environment, act) (rate(${'workerRows'}[$__rate_interval]))`),
      ),
      panel('Open', 'short', query('{{environment}} {{act}}', promql`max by (environment, act) (${'workerOpen'})`)),
    ),
  ],
};

export const KAFKA: Dashboard = {
  name: 'kafka',
  title: 'Kafka',
  meaning: 'records that wait, readers of topics, and the published payment events',
  rows: [
    row(
      'Requests and replies',
      panel('Records that wait to be sent', 'short', query('{{instance}}', promql`${'kafkaRecordsWaiting'}`)),
      panel(
        'Readers that are members of their group',
        'short',
        query('{{kind}} {{topic}}', promql`sum by (kind, topic) (${'kafkaReaderAlive'})`),
      ),
      panel(
        '99 of 100 requests answered within',
        's',
        query(
          '{{pattern}}',
          promql`histogram_quantile(0.99, sum by (le, pattern) (rate(${'busRequestSeconds'}_bucket{side="asked"}[$__rate_interval])))`,
        ),
      ),
    ),
    row(
      'Payment events',
      panel('Instances that publish', 'short', query('publishing', promql`sum(${'publishingActive'})`)),
      panel('Behind', 's', query('behind', promql`max(${'publishingBehindSeconds'})`)),
      panel(
        'Positions behind the log',
        'short',
        query('behind', promql`max(${'eventStorePosition'}) - max(${'publishingPosition'})`),
      ),
    ),
  ],
};

export const POSTGRESQL: Dashboard = {
  name: 'postgresql',
  title: 'PostgreSQL',
  meaning: 'pools of connections as the services see them, and statements that store events',
  rows: [
    row(
      'Pools',
      panel('Connections', 'short', query('{{instance}} {{pool}} {{state}}', promql`${'poolConnections'}`)),
      panel('Queries that wait for a connection', 'short', query('{{instance}} {{pool}}', promql`${'poolWaiting'}`)),
    ),
    row(
      'Events',
      panel(
        'Statements that store events',
        'ops',
        query('{{instance}}', promql`rate(${'eventStoreStatements'}[$__rate_interval])`),
      ),
      panel(
        'Units per statement',
        'short',
        query(
          'units',
          promql`sum(rate(${'eventStoreUnits'}{outcome="stored"}[$__rate_interval])) / sum(rate(${'eventStoreStatements'}[$__rate_interval]))`,
        ),
      ),
    ),
  ],
};
