import { randomBytes, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { CONTROL_FILE, LIMITS, type ControlNote } from '@settle/config';
import type { Command } from './arguments.js';

/** Does a command and tells of each step; what it resolves with is the result. */
export type Executor = (command: Command, say: (line: string) => void) => Promise<unknown>;

interface ControlPlace extends Pick<ControlNote, 'brokers'> {
  readonly dataDir: string;
}

/**
 * Takes commands from other processes of the same user, on a free port of loopback; the secret that they need stands
 * in a file of the data folder that only its owner can read. Answers are lines of JSON: `{say}` for each step and at
 * the end `{result}` or `{error}`.
 */
export async function serveControl({ dataDir, brokers }: ControlPlace, execute: Executor) {
  const secret = randomBytes(24).toString('hex');
  const server = createServer((request, response) => {
    if (!isAllowed(request, secret)) response.writeHead(401).end();
    else void answer(request, response, execute);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  // A connection that could not be accepted is lost; the server goes on.
  server.on('error', () => undefined);
  const { port } = server.address() as AddressInfo;
  const file = join(dataDir, CONTROL_FILE);
  await rm(file, { force: true });
  const note: ControlNote = { port, secret, brokers };
  await writeFile(file, JSON.stringify(note), { mode: 0o600 });
  return {
    async close(): Promise<void> {
      await rm(file, { force: true });
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}

function isAllowed({ headers }: IncomingMessage, secret: string): boolean {
  const given = Buffer.from(headers.authorization ?? '');
  const wanted = Buffer.from(`Bearer ${secret}`);
  return given.length === wanted.length && timingSafeEqual(given, wanted);
}

async function answer(request: IncomingMessage, response: ServerResponse, execute: Executor): Promise<void> {
  const tell = (line: object) => response.write(`${JSON.stringify(line)}\n`);
  try {
    const command = JSON.parse(await textOf(request)) as Command;
    tell({ result: await execute(command, (line) => tell({ say: line })) });
  } catch (error) {
    tell({ error: error instanceof Error ? error.message : String(error) });
  }
  response.end();
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request.setEncoding('utf8')) {
    text += chunk as string;
    if (text.length > LIMITS.stack.controlBytes) throw new Error('The command is too long');
  }
  return text;
}
