import { KAFKA_TOPICS } from '@settle/contracts';
import kafkajs from 'kafkajs';
import type { WirePayment } from '../wire.js';
import type { SentPayment } from '../paced-load.fixture.js';

/** The effects of a fault on concurrent payments. Times in milliseconds. */
export interface Figures {
  readonly fault: string;
  readonly sent: number;
  readonly acknowledged: number;
  readonly unknown: number;
  /** Payments of unknown outcome that a later read found. */
  readonly tookEffect: number;
  readonly refused: number;
  /** Acknowledged payments that are missing or differ from the response. */
  readonly lost: number;
  /** Payments that exist more than once, or exist although they were rejected or were found not to have taken effect. */
  readonly doubled: number;
  /** The outcomes that their callers received. */
  readonly doubledAfter: readonly SentPayment['outcome'][];
  /** Responses other than 200, 503 and 504. */
  readonly wrong: readonly string[];
  /** Requests without a 200. */
  readonly failed: number;
  readonly longestGapMs: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** The longest time after a strike in which the payers of one connected partition had no acknowledged payment. */
  readonly servedAgainMs: number;
}

export interface Observed {
  readonly fault: string;
  readonly sent: readonly SentPayment[];
  /** The times of the strikes, on the same clock. */
  readonly struckAtMs: readonly number[];
  /** Partitions of an instance that the fault cuts off for longer. Their recovery time does not count. */
  readonly cutOffPartitions?: ReadonlySet<number>;
  /** Notes of payments of unknown outcome that were found to have taken effect. */
  readonly tookEffect: ReadonlySet<string>;
  /** All payments that exist in the end. */
  readonly byNote: ReadonlyMap<string, readonly WirePayment[]>;
}

export function computeFigures({
  fault,
  sent,
  struckAtMs,
  cutOffPartitions = new Set(),
  tookEffect,
  byNote,
}: Observed): Figures {
  const of = (kind: SentPayment['outcome']['kind']) => sent.filter(({ outcome }) => outcome.kind === kind);
  const acknowledged = of('acknowledged');
  const tookMs = acknowledged.map(({ sentAtMs, endedAtMs }) => endedAtMs - sentAtMs).sort((one, other) => one - other);
  const unknown = of('unknown');
  const doubled = sent.filter((each) => (byNote.get(each.note) ?? []).length > timesDone(each, tookEffect));
  return {
    fault,
    sent: sent.length,
    acknowledged: acknowledged.length,
    unknown: unknown.length,
    tookEffect: unknown.filter(({ note }) => tookEffect.has(note)).length,
    refused: of('refused').length,
    lost: acknowledged.filter((each) => !isThere(each, byNote.get(each.note) ?? [])).length,
    doubled: doubled.length,
    doubledAfter: doubled.map(({ outcome }) => outcome),
    wrong: of('wrong').map(({ outcome }) => (outcome.kind === 'wrong' ? outcome.what : '')),
    failed: sent.length - acknowledged.length,
    longestGapMs: longestGap(acknowledged.map(({ endedAtMs }) => endedAtMs)),
    p50Ms: percentile(tookMs, 0.5),
    p99Ms: percentile(tookMs, 0.99),
    servedAgainMs: computeRecoveryMs(
      acknowledged.filter(({ payer }) => !cutOffPartitions.has(partitionOf(payer.id))),
      struckAtMs,
    ),
  };
}

function isThere({ outcome, amount }: SentPayment, found: readonly WirePayment[]): boolean {
  if (outcome.kind !== 'acknowledged') return false;
  return found.some(({ id, status, amount: moved }) => {
    return id === outcome.paymentId && status === outcome.status && moved === amount && outcome.amount === amount;
  });
}

function timesDone({ outcome, note }: SentPayment, tookEffect: ReadonlySet<string>): number {
  return outcome.kind === 'acknowledged' || tookEffect.has(note) ? 1 : 0;
}

function longestGap(timesMs: readonly number[]): number {
  const sorted = [...timesMs].sort((one, other) => one - other);
  return Math.max(0, ...sorted.slice(1).map((time, at) => time - (sorted[at] ?? time)));
}

/** Returns a percentile of numbers in ascending order. */
export function percentile(sorted: readonly number[], part: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0;
}

/** Computes the longest gap of each partition from the first strike on; a later strike starts again. */
function computeRecoveryMs(acknowledged: readonly SentPayment[], struckAtMs: readonly number[]): number {
  const timesOfShare = new Map<number, number[]>();
  for (const { payer, endedAtMs } of acknowledged) {
    const share = partitionOf(payer.id);
    const times = timesOfShare.get(share) ?? [...struckAtMs];
    timesOfShare.set(share, times);
    if (endedAtMs > Math.min(...struckAtMs)) times.push(endedAtMs);
  }
  return Math.max(0, ...[...timesOfShare.values()].map(longestGap));
}

const partitioner = kafkajs.Partitioners.DefaultPartitioner();
const topic = KAFKA_TOPICS.paymentsCommands.name;
const partitionMetadata = Array.from({ length: KAFKA_TOPICS.paymentsCommands.partitions }, (_, partitionId) => ({
  partitionErrorCode: 0,
  partitionId,
  leader: 1,
  replicas: [1],
  isr: [1],
}));

/** The partition of a user's commands decides which instance acts for the user. */
function partitionOf(userId: string): number {
  return partitioner({ topic, partitionMetadata, message: { key: userId, value: null } });
}

const COLUMNS: readonly (readonly [string, (row: Figures) => string | number])[] = [
  ['fault', ({ fault }) => fault],
  ['sent', ({ sent }) => sent],
  ['acknowledged', ({ acknowledged }) => acknowledged],
  [
    'unknown (took effect / did not)',
    ({ unknown, tookEffect }) => `${unknown} (${tookEffect} / ${unknown - tookEffect})`,
  ],
  ['refused (503)', ({ refused }) => refused],
  ['lost', ({ lost }) => lost],
  ['doubled', ({ doubled }) => doubled],
  ['failed requests', ({ failed }) => failed],
  ['longest gap (s)', ({ longestGapMs }) => inSeconds(longestGapMs)],
  ['longest gap of a partition (s)', ({ servedAgainMs }) => inSeconds(servedAgainMs)],
  ['p50 (ms)', ({ p50Ms }) => Math.round(p50Ms)],
  ['p99 (ms)', ({ p99Ms }) => Math.round(p99Ms)],
];

/** Returns the first two lines of a Markdown table whose rows `formatTableRow` returns. */
export function formatTableHead(): string {
  return `${formatTableLine(COLUMNS.map(([name]) => name))}\n${formatTableLine(COLUMNS.map(() => '---'))}`;
}

export function formatTableRow(figures: Figures): string {
  return formatTableLine(COLUMNS.map(([, cell]) => cell(figures)));
}

/** Returns a line of a Markdown table. */
export function formatTableLine(cells: readonly (string | number)[]): string {
  return `| ${cells.join(' | ')} |`;
}

function inSeconds(timeMs: number): string {
  return (timeMs / 1_000).toFixed(2);
}
