import { LIMITS, SettingsError } from '@settle/config';
import { Running, StartInterrupted } from './running.js';

/** `npm` passes on a Ctrl-C that the terminal has already sent to every process: the same wish may arrive twice. */
const ECHO_MS = 1_000;

/**
 * The life of the process: starts, waits for a signal to end, stops what was started, the youngest first, and exits.
 * A second signal exits at once. What goes wrong is told in one line on standard error, with exit code 1. Nobody else
 * listens to signals.
 * @param stopWaitMs longest stop; then the process exits as it is
 */
export async function runUntilStopped(
  start: (running: Running) => Promise<void>,
  stopWaitMs: number = LIMITS.launcher.stopWaitMs,
): Promise<never> {
  const running = new Running();
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
  const late = setTimeout(() => {
    process.stderr.write(`Settle did not stop in time (${running.stopping}) and was ended; the next start tidies up\n`);
    process.exit(1);
  }, stopWaitMs);
  await running.stop((name, error) => {
    complain(error, `Stopping ${name}`);
    exitCode = 1;
  });
  clearTimeout(late);
  process.exit(exitCode);
}

/** Resolves at the first signal to end. An error that nobody caught is a failure of what runs. */
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

/** Some errors of the network have no message of their own, only those of each address tried. */
function messageOf(error: unknown): string {
  if (error instanceof AggregateError && error.message === '') return messageOf(error.errors[0]);
  const text = error instanceof Error ? error.message : String(error);
  return text.split('\n')[0] ?? text;
}
