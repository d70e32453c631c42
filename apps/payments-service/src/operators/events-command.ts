import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import type { Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { parseArgs } from 'node:util';
import { PUBLISHED_TOPICS, type PublishedTopic } from '../public-events/published-topics.js';
import { exportTopic } from './export-topic.js';
import { DONE, runCommand } from './run-command.js';

const NAMES = PUBLISHED_TOPICS.map(({ topic }) => topic);
const USAGE = `npm run events -- export --topic <${NAMES.join('|')}> [--from <position>] [--file <path>]`;

interface Order {
  readonly published: PublishedTopic;
  readonly from: number;
  /** Absent: standard output. */
  readonly file?: string | undefined;
}

/** Reads the command line. Error: the usage. */
function readOrder(): Order {
  const text = { type: 'string' } as const;
  const { values, positionals } = parseArgs({
    options: { topic: text, from: text, file: text },
    allowPositionals: true,
  });
  const { topic, from = '0', file } = values;
  const published = PUBLISHED_TOPICS.find((each) => each.topic === topic);
  const isRead = positionals.join(' ') === 'export' && /^\d{1,15}$/.test(from);
  if (!isRead || published === undefined) throw new Error(`Write ${USAGE}`);
  return { published, from: Number(from), file };
}

/** Writes text and waits while the reader is slower. Error: the stream's, also of an earlier write. */
async function writeTo(stream: Writable, text: string): Promise<void> {
  if (stream.errored) throw stream.errored;
  if (!stream.write(text)) await once(stream, 'drain');
}

const isReaderGone = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'EPIPE';

await runCommand('events', async ({ store, openPool }) => {
  const { published, from, file } = readOrder();
  const output = file === undefined ? process.stdout : createWriteStream(file);
  // Each write reports it.
  output.on('error', () => undefined);
  try {
    const write = (text: string) => writeTo(output, text);
    await exportTopic({ store, pool: openPool('live'), write }, { published, from });
    if (file !== undefined) await finished(output.end());
  } catch (error) {
    // As after `| head`: it has what it wanted.
    if (!isReaderGone(error)) throw error;
  }
  return DONE;
});
