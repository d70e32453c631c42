import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { CONTROL_FILE, type ControlNote } from '@settle/config';
import type { Command } from './arguments.js';

interface AnswerLine {
  readonly say?: string;
  readonly result?: unknown;
  readonly error?: string;
}

/**
 * Has the stack that runs on a data folder do a command.
 * @param say prints each step
 * @returns the result. Errors: one line.
 */
export async function sendCommand(dataDir: string, command: Command, say: (line: string) => void): Promise<unknown> {
  const away = new Error(`No stack runs on the data folder ${dataDir}: start it with npm run stack, or set DATA_DIR`);
  const { port, secret } = await readFile(join(dataDir, CONTROL_FILE), 'utf8').then(
    (text) => JSON.parse(text) as ControlNote,
    () => Promise.reject(away),
  );
  const response = await fetch(`http://127.0.0.1:${port}/`, {
    method: 'POST',
    headers: { authorization: `Bearer ${secret}` },
    body: JSON.stringify(command),
  }).catch(() => Promise.reject(away));
  if (!response.ok || response.body === null) throw away;
  for await (const line of createInterface(Readable.fromWeb(response.body))) {
    const { say: step, result, error } = JSON.parse(line) as AnswerLine;
    if (step !== undefined) say(step);
    if (error !== undefined) throw new Error(error);
    if (result !== undefined) return result;
  }
  throw new Error('The stack ended before it had answered');
}
