import { readCommand, type Command } from './arguments.js';
import { sendCommand } from './control-client.js';
import { scrapeTargets, writeTargets } from './scrape-targets.js';
import { dataDirOf } from './stack-environment.js';
import type { StackStatus } from './stack.js';

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

async function tell(command: Exclude<Command, { kind: 'run' }>): Promise<void> {
  const status = (await sendCommand(dataDirOf(process.env), command, say)) as StackStatus;
  if (command.kind === 'targets') {
    const targets = scrapeTargets(status);
    if (command.file === null) process.stdout.write(targets);
    else await writeTargets(command.file, targets);
  }
  if (command.kind === 'status') say(command.asJson ? JSON.stringify(status, null, 2) : statusTable(status));
}

/** The state of the stack for people, a line for each part. */
function statusTable({ url, pid, kafka, postgres, instances }: StackStatus): string {
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

try {
  const command = readCommand(process.argv.slice(2));
  if (command.kind === 'run') {
    // Loaded by this command alone: other commands should take little of the machine on which the stack serves.
    const { runStack } = await import('./run-stack.js');
    await runStack(command.counts, say);
  } else await tell(command);
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
