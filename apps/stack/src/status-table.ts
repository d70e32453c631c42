import type { StackStatus } from './stack.js';

/** The state of the stack for people, a line for each part. */
export function statusTable({ url, pid, kafka, postgres, instances }: StackStatus): string {
  const processOf = (number: number | null) => (number === null ? 'no process of ours' : `process ${number}`);
  const rows = [
    ['supervisor', 'ready', processOf(pid), url],
    ['kafka', '', processOf(kafka.pid), kafka.brokers.join(', ')],
    ['postgres', '', processOf(postgres.pid), ''],
    ...instances.map(({ name, isReady, pid: own, restarts }) => [
      name,
      isReady ? 'ready' : 'not ready',
      own === null ? 'not running' : processOf(own),
      restarts === 0 ? '' : `started again ${restarts} x`,
    ]),
  ];
  return rows
    .map(([name = '', state = '', ...rest]) => [name.padEnd(12), state.padEnd(10), ...rest].join(' ').trimEnd())
    .join('\n');
}
