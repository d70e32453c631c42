import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { programEnvironment } from '@settle/testing';

const OPERATORS = new URL('../../dist/operators/', import.meta.url);

/** How a command has ended. */
export interface EndedCommand {
  readonly code: unknown;
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * Runs a built command of operators to its end.
 * @param program such as `funding-command.js`
 * @param env its whole environment but for `PATH`
 */
export function runCommandProcess(
  program: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<EndedCommand> {
  const words = ['--no-warnings', fileURLToPath(new URL(program, OPERATORS)), ...args];
  const options = { env: { ...programEnvironment(), ...env } };
  return new Promise((resolve) => {
    execFile(process.execPath, words, options, (error, stdout, stderr) =>
      resolve({ code: error?.code ?? 0, stdout, stderr }),
    );
  });
}
