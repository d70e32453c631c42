import { LIMITS } from '@settle/config';
import { runUntilStopped, type Running } from '@settle/lifecycle';
import { readCommand, type Command, type Counts } from './arguments.js';
import { sendCommand } from './control-client.js';
import { readStackSettings, dataDirOf } from './stack-settings.js';
import { Stack, type StackStatus } from './stack.js';
import { statusTable } from './status-table.js';

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

function run(counts: Counts): Promise<never> {
  const start = async (running: Running) => {
    const settings = await readStackSettings(process.env);
    say(await new Stack(settings, running, say).start(counts));
  };
  return runUntilStopped(start, LIMITS.stack.stopAllWaitMs);
}

async function tell(command: Exclude<Command, { kind: 'run' }>): Promise<void> {
  const status = (await sendCommand(dataDirOf(process.env), command, say)) as StackStatus;
  if (command.kind === 'status') say(command.asJson ? JSON.stringify(status, null, 2) : statusTable(status));
}

try {
  const command = readCommand(process.argv.slice(2));
  if (command.kind === 'run') await run(command.counts);
  else await tell(command);
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
