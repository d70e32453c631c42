import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const ADMIN = fileURLToPath(new URL('../../../tools/admin.mjs', import.meta.url));

interface Ended {
  readonly code: number;
  readonly output: string;
  readonly complaint: string;
}

/** What `npm run admin -- user …` does, on the product under test unless another data folder is given. */
export function admin(line: string, dataDir?: string): Promise<Ended> {
  return run(['user', ...line.split(' ')], dataDir);
}

/** What `npm run admin -- …` does with these words, on the product under test. */
export function operator(...words: readonly string[]): Promise<Ended> {
  return run(words);
}

function run(words: readonly string[], dataDir = process.env.E2E_DATA_DIR ?? ''): Promise<Ended> {
  const env = { PATH: process.env.PATH, DATA_DIR: dataDir };
  return new Promise((resolve) => {
    execFile(process.execPath, ['--no-warnings', ADMIN, ...words], { env }, (error, output, complaint) => {
      resolve({ code: error === null ? 0 : Number(error.code), output, complaint });
    });
  });
}

/** The same for a line that must do what it says; resolves with what it prints. */
export async function asOperator(line: string): Promise<string> {
  const { code, output, complaint } = await admin(line);
  // Beside the lines of the security log.
  const rest = complaint.replaceAll(/^\{.*"operator_flags_set".*\}\n/gm, '');
  expect({ code, rest }).toEqual({ code: 0, rest: '' });
  return output;
}
