import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { startConnectWorker, type ConnectWorker } from '@settle/testing';
import { RECIPES } from './analytics-recipes.fixture.js';

/** Properties of the worker and of its connector. */
const FILES = ['worker.properties', 'file-sink.properties'];

/**
 * Starts Kafka Connect with the file sink of the recipes.
 * @param folder in which the worker keeps its offsets, and writes `events.ndjson`
 * @param topicPrefix with which the names of topics begin
 */
export async function startFileSink(folder: string, brokers: string, topicPrefix: string): Promise<ConnectWorker> {
  const values: Readonly<Record<string, (documented: string) => string>> = {
    'bootstrap.servers': () => brokers,
    'offset.storage.file.filename': () => path.join(folder, 'offsets'),
    listeners: () => 'http://127.0.0.1:0',
    topics: (topics) => topics.replaceAll(/[^,]+/g, (topic) => topicPrefix + topic),
    file: () => path.join(folder, 'events.ndjson'),
  };
  for (const name of FILES) {
    const text = await readFile(path.join(RECIPES, 'connect', name), 'utf8');
    const changed = text.replaceAll(/^([\w.]+)=(.*)$/gm, (_, key: string, value: string) => {
      return `${key}=${values[key]?.(value) ?? value}`;
    });
    await writeFile(path.join(folder, name), changed);
  }
  return startConnectWorker(FILES.map((name) => path.join(folder, name)));
}
