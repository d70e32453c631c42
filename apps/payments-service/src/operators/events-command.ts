import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import type { Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { parseArgs } from 'node:util';
import { readSettings } from '@settle/config';
import { TOPICS } from '@settle/contracts';
import { PUBLISHED_TOPICS, type PublishedTopic } from '../public-events/published-topics.js';
import { checkTopics } from './check-topics.js';
import { exportTopic } from './export-topic.js';
import { Findings } from './findings.js';
import { SCHEMA_TYPES, publishSchemas, readRegistry } from './publish-schemas.js';
import { DONE, FOUND, runCommand, runWithoutStore, say, type CommandPlace } from './run-command.js';

const NAMES = PUBLISHED_TOPICS.map(({ topic }) => topic);
const USAGE = `npm run events -- export --topic <${NAMES.join('|')}> [--from <position>] [--file <path>]
       npm run events -- publish-schemas --registry <url> [--type JSON|AVRO]
       npm run events -- check [--topic <${[...NAMES, TOPICS.ledgerWatermarks].join('|')}>]`;

interface ExportOrder {
  readonly published: PublishedTopic;
  readonly from: number;
  /** Absent: standard output. */
  readonly file?: string | undefined;
}

type Order = { readonly check: readonly PublishedTopic[] } | { readonly export: ExportOrder };

/** Reads the command line. Error: the usage. */
function readOrder(): Order {
  const text = { type: 'string' } as const;
  const { values, positionals } = parseArgs({
    options: { topic: text, from: text, file: text },
    allowPositionals: true,
  });
  const { topic, from, file } = values;
  const published = PUBLISHED_TOPICS.filter((each) => each.topic === topic);
  const [action, ...more] = positionals;
  if (more.length > 0) throw new Error(`Write ${USAGE}`);
  if (action === 'check' && from === undefined && file === undefined) {
    // Watermarks have no events: what they say of the other topics is checked.
    if (topic === undefined || topic === TOPICS.ledgerWatermarks) return { check: PUBLISHED_TOPICS };
    if (published.length > 0) return { check: published };
  }
  const [only] = published;
  if (action !== 'export' || only === undefined || !/^\d{1,15}$/.test(from ?? '0')) throw new Error(`Write ${USAGE}`);
  return { export: { published: only, from: Number(from ?? 0), file } };
}

/** Writes text and waits while the reader is slower. Error: the stream's, also of an earlier write. */
async function writeTo(stream: Writable, text: string): Promise<void> {
  if (stream.errored) throw stream.errored;
  if (!stream.write(text)) await once(stream, 'drain');
}

const isReaderGone = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'EPIPE';

async function exportRecords(
  { store, openPool }: CommandPlace,
  { published, from, file }: ExportOrder,
): Promise<number> {
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
}

async function check({ settings, store, openPool }: CommandPlace, topics: readonly PublishedTopic[]): Promise<number> {
  const findings = new Findings();
  const client = await openPool('live').connect();
  try {
    await checkTopics({ settings, store, client, findings, say, nowMs: Date.now }, topics);
  } finally {
    client.release(true);
  }
  const found = findings.list().filter(({ first }) => first !== null);
  for (const { differences, first } of found) say(`${differences} differences, the first: ${first}`);
  if (found.length === 0) say('in order');
  return found.length === 0 ? DONE : FOUND;
}

async function publish(args: string[]): Promise<number> {
  const text = { type: 'string' } as const;
  const { values } = parseArgs({ args, options: { registry: text, type: text } });
  const type = SCHEMA_TYPES.find((each) => each === (values.type ?? 'JSON'));
  if (values.registry === undefined || type === undefined) throw new Error(`Write ${USAGE}`);
  const { topicPrefix } = readSettings(process.env).kafka;
  await publishSchemas(readRegistry(values.registry, process.env), { type, topicPrefix, say });
  return DONE;
}

const [action, ...rest] = process.argv.slice(2);
if (action === 'publish-schemas') await runWithoutStore('events', () => publish(rest));
else {
  await runCommand('events', async (place) => {
    const order = readOrder();
    return 'check' in order ? check(place, order.check) : exportRecords(place, order.export);
  });
}
