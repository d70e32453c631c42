import { LIMITS, type Settings } from '@settle/config';
import {
  KAFKA_TOPICS,
  LATEST_WATERMARK_SECONDS,
  TOPICS,
  type LedgerWatermark,
  type PublicLedgerEntry,
} from '@settle/contracts';
import { START, type EventStore } from '@settle/event-store';
import type { ClientBase } from 'pg';
import { PROJECTION, readCheckpoint } from '../projection/checkpoints.js';
import { FIRST_EPOCH } from '../public-events/public-event-epoch.js';
import { LEDGER_ENTRIES, type PublishedTopic } from '../public-events/published-topics.js';
import type { Findings } from './findings.js';
import { replay } from './replay.js';
import { snapshotsOf } from './snapshots.js';
import { readTopicOf, verifyTopics } from './verify-topics.js';

const MS_PER_SECOND = 1_000;

export interface CheckedTopics {
  readonly settings: Pick<Settings, 'kafka'>;
  readonly store: EventStore;
  readonly client: ClientBase;
  readonly findings: Findings;
  readonly say: (line: string) => void;
  readonly nowMs: () => number;
}

/**
 * Runs the checks of the data contracts for topics: freshness, completeness and conformity on Kafka, and for entries that
 * they lead to the balances of the ledger. Without Kafka only the latter, of what the export writes. Differences go to `findings`.
 */
export async function checkTopics(checked: CheckedTopics, topics: readonly PublishedTopic[]): Promise<void> {
  const { settings, say } = checked;
  if (settings.kafka.brokers.length === 0) say('freshness and completeness: not looked at, no Kafka is named');
  else {
    await checkFreshness(checked, topics);
    const records = await verifyTopics(checked, topics);
    say(`completeness: compared ${records ?? 0} records with the log`);
  }
  if (topics.includes(LEDGER_ENTRIES)) await checkBalances(checked);
}

async function checkFreshness(checked: CheckedTopics, topics: readonly PublishedTopic[]): Promise<void> {
  const { settings, findings, say, nowMs } = checked;
  let newest = { atMs: 0, value: '' };
  const read = readTopicOf(settings, TOPICS.ledgerWatermarks);
  await read(
    () => undefined,
    ({ headers, value }) => {
      const atMs = Date.parse(headers['time'] ?? '');
      if (atMs > newest.atMs) newest = { atMs, value };
    },
  );
  if (newest.value === '') return findings.add('topic', 'freshness: there is no watermark');
  const ageMs = nowMs() - newest.atMs;
  say(`freshness: the newest watermark is ${(ageMs / MS_PER_SECOND).toFixed(1)} s old`);
  if (ageMs > LATEST_WATERMARK_SECONDS * MS_PER_SECOND) {
    findings.add('topic', `freshness: the newest watermark is older than ${LATEST_WATERMARK_SECONDS} s`);
  }
  const { partitions } = JSON.parse(newest.value) as LedgerWatermark;
  for (const { topic } of topics) {
    const named = new Set(partitions.filter((mark) => mark.topic === topic).map(({ partition }) => partition)).size;
    const all = Object.values(KAFKA_TOPICS).find(({ name }) => name === topic)?.partitions;
    if (named !== all)
      findings.add('topic', `freshness: the watermark names ${named} of ${all} partitions of ${topic}`);
  }
}

const NEWEST_BALANCES = `
  select distinct on (wallet_id) 'wallet:' || wallet_id as account, balance_cents::float8 as cents
  from ledger_entries order by wallet_id, revision desc limit $1`;

/** Sums the public entries up to the position of the read models, and compares each wallet with its balance there. */
async function checkBalances({ client, store, findings, say }: CheckedTopics): Promise<void> {
  const { walletsHeld } = LIMITS.operators;
  const { upTo, wallets } = await snapshotsOf(client)(async () => {
    const position = await readCheckpoint(client, PROJECTION);
    const { rows } = await client.query<{ account: string; cents: number }>(NEWEST_BALANCES, [walletsHeld + 1]);
    return { upTo: position, wallets: rows };
  });
  if (wallets.length > walletsHeld) {
    return say(
      `balances: not compared, there are more than ${walletsHeld} wallets; "npm run ledger -- verify" does it`,
    );
  }
  const accounts = new Map<string, number>();
  const add = (account: string, cents: number) => accounts.set(account, (accounts.get(account) ?? 0) + cents);
  const { topic: name, streamPrefixes, buildRecords } = LEDGER_ENTRIES;
  await replay({ store, say: () => undefined }, { name, streamPrefixes, after: START, upTo }, async (events) => {
    for (const { payload } of (await buildRecords(store, events, FIRST_EPOCH)).flat()) {
      const { debitAccount, creditAccount, amountCents } = payload as PublicLedgerEntry;
      add(debitAccount, -amountCents);
      add(creditAccount, amountCents);
    }
  });
  for (const { account, cents } of wallets) {
    const summed = accounts.get(account) ?? 0;
    if (summed !== cents)
      findings.add('topic', `balances: the entries of ${account} sum to ${summed}, the balance is ${cents}`);
  }
  const trialBalance = [...accounts.values()].reduce((sum, cents) => sum + cents, 0);
  if (trialBalance !== 0) findings.add('topic', `balances: the sum of all accounts is ${trialBalance}`);
  say(`balances: ${wallets.length} wallets up to position ${upTo}, trial balance ${trialBalance}`);
}
