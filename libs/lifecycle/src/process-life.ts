import { LIMITS, SettingsError } from '@settle/config';
import { Running, StartInterrupted } from './running.js';

/** `npm` forwards a Ctrl-C that the terminal has sent to every process already: the same signal may arrive twice. */
const ECHO_MS = 1_000;

/**
 * Runs the process: starts, waits for a signal, stops everything in reverse order of its start, and exits. A second
 * signal exits at once. A failure is printed as one line on standard error, with exit code 1. No other code listens to
 * signals.
 * @param stopWaitMs longest stop, from the signal or the failure on; then the process exits anyway
 */
export async function runUntilStopped(
  start: (running: Running) => Promise<void>,
  stopWaitMs: number = LIMITS.launcher.stopWaitMs,
): Promise<never> {
  const running = new Running();
  let late: NodeJS.Timeout | undefined;
  const exitInTime = (): void => {
    late ??= setTimeout(() => {
      const what = running.stopping ?? 'the start';
      process.stderr.write(`Settle did not stop in time (${what}) and was ended; the next start tidies up\n`);
      process.exit(1);
    }, stopWaitMs);
  };
  // Also during a start that waits for something that never comes.
  void running.untilInterrupted().then(exitInTime);
  let exitCode = 0;
  try {
    const ended = endSignal(running);
    await start(running);
    await Promise.race([ended, running.untilFailed()]);
  } catch (error) {
    const problem = error instanceof StartInterrupted ? running.failure : error;
    if (problem !== null) {
      complain(problem);
      exitCode = 1;
    }
  }
  exitInTime();
  await running.stop((name, error) => {
    complain(error, `Stopping ${name}`);
    exitCode = 1;
  });
  clearTimeout(late);
  process.exit(exitCode);
}

/** Resolves at the first signal. An uncaught error counts as a failure of the running parts. */
function endSignal(running: Running): Promise<void> {
  process.on('uncaughtException', (error) => running.fail(error));
  return new Promise((resolve) => {
    let firstAtMs: number | null = null;
    const onSignal = (): void => {
      const nowMs = performance.now();
      if (firstAtMs !== null && nowMs - firstAtMs > ECHO_MS) process.exit(1);
      firstAtMs ??= nowMs;
      running.interrupt();
      resolve();
    };
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, onSignal);
  });
}

function complain(error: unknown, what = 'Settle cannot run'): void {
  const lines = error instanceof SettingsError ? error.problems : [messageOf(error)];
  for (const line of lines) process.stderr.write(`${what}: ${line}\n`);
}

/** Some network errors have no message, only those of each address tried. */
function messageOf(error: unknown): string {
  if (error instanceof AggregateError && error.message === '') return messageOf(error.errors[0]);
  const text = error instanceof Error ? error.message : String(error);
  return text.split('\n')[0] ?? text;
}
