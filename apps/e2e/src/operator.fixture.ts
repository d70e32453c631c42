import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { programEnvironment } from '@settle/testing';

const ADMIN = fileURLToPath(new URL('../../../tools/admin.mjs', import.meta.url));

interface Ended {
  readonly code: number;
  readonly output: string;
  readonly complaint: string;
}

/** Runs `npm run admin -- user …` on the product under test, or on another data folder. */
export function tryUserCommand(line: string, dataDir?: string): Promise<Ended> {
  return run(['user', ...line.split(' ')], dataDir);
}

/** Runs `npm run admin -- …` with these words on the product under test. */
export function runOperatorCommand(...words: readonly string[]): Promise<Ended> {
  return run(words);
}

function run(words: readonly string[], dataDir = process.env.E2E_DATA_DIR ?? ''): Promise<Ended> {
  const env = { ...programEnvironment(), DATA_DIR: dataDir };
  return new Promise((resolve) => {
    execFile(process.execPath, ['--no-warnings', ADMIN, ...words], { env }, (error, output, complaint) => {
      resolve({ code: error === null ? 0 : Number(error.code), output, complaint });
    });
  });
}

/** Runs a user command that must succeed and returns its output. */
export async function runUserCommand(line: string): Promise<string> {
  const { code, output, complaint } = await tryUserCommand(line);
  // The lines of the security log are expected.
  const rest = complaint.replaceAll(/^\{.*"operator_flags_set".*\}\n/gm, '');
  expect({ code, rest }).toEqual({ code: 0, rest: '' });
  return output;
}
