import { KAFKA_TOPICS } from '@settle/contracts';
import kafkajs from 'kafkajs';
import type { WirePayment } from '../wire.js';
import type { Sent } from '../paced-load.fixture.js';

/** What a fault did to those who paid meanwhile. Times in milliseconds. */
export interface Figures {
  readonly fault: string;
  readonly sent: number;
  readonly acknowledged: number;
  readonly unknown: number;
  /** Of the unknown: found when it was read later. */
  readonly happened: number;
  readonly refused: number;
  /** Acknowledged, and not there or not as it was acknowledged. */
  readonly lost: number;
  /** More than once there, or there although it was refused or had been found not to have happened. */
  readonly doubled: number;
  /** What their callers had been told. */
  readonly doubledAfter: readonly Sent['outcome'][];
  /** Answered neither with 200, 503 nor 504. */
  readonly wrong: readonly string[];
  /** Everything but a 200. */
  readonly failed: number;
  readonly longestGapMs: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** The longest time after a strike without an acknowledged payment of some share of the payers that is not cut off. */
  readonly servedAgainMs: number;
}

export interface Observed {
  readonly fault: string;
  readonly sent: readonly Sent[];
  /** When it struck, on the same clock. */
  readonly struckAtMs: readonly number[];
  /** Shares of an instance that the fault keeps from serving for longer: how soon these are served again does not count. */
  readonly cutOffShares?: ReadonlySet<number>;
  /** Notes of unknown outcome that were found to have happened. */
  readonly happened: ReadonlySet<string>;
  /** All that is there in the end. */
  readonly byNote: ReadonlyMap<string, readonly WirePayment[]>;
}

export function figuresOf({ fault, sent, struckAtMs, cutOffShares = new Set(), happened, byNote }: Observed): Figures {
  const of = (kind: Sent['outcome']['kind']) => sent.filter(({ outcome }) => outcome.kind === kind);
  const acknowledged = of('acknowledged');
  const tookMs = acknowledged.map(({ sentAtMs, endedAtMs }) => endedAtMs - sentAtMs).sort((one, other) => one - other);
  const unknown = of('unknown');
  const doubled = sent.filter((each) => (byNote.get(each.note) ?? []).length > timesDone(each, happened));
  return {
    fault,
    sent: sent.length,
    acknowledged: acknowledged.length,
    unknown: unknown.length,
    happened: unknown.filter(({ note }) => happened.has(note)).length,
    refused: of('refused').length,
    lost: acknowledged.filter((each) => !isThere(each, byNote.get(each.note) ?? [])).length,
    doubled: doubled.length,
    doubledAfter: doubled.map(({ outcome }) => outcome),
    wrong: of('wrong').map(({ outcome }) => (outcome.kind === 'wrong' ? outcome.what : '')),
    failed: sent.length - acknowledged.length,
    longestGapMs: longestGap(acknowledged.map(({ endedAtMs }) => endedAtMs)),
    p50Ms: percentile(tookMs, 0.5),
    p99Ms: percentile(tookMs, 0.99),
    servedAgainMs: servedAgain(
      acknowledged.filter(({ payer }) => !cutOffShares.has(shareOf(payer.id))),
      struckAtMs,
    ),
  };
}

function isThere({ outcome, amount }: Sent, found: readonly WirePayment[]): boolean {
  if (outcome.kind !== 'acknowledged') return false;
  return found.some(({ id, status, amount: moved }) => {
    return id === outcome.paymentId && status === outcome.status && moved === amount && outcome.amount === amount;
  });
}

function timesDone({ outcome, note }: Sent, happened: ReadonlySet<string>): number {
  return outcome.kind === 'acknowledged' || happened.has(note) ? 1 : 0;
}

function longestGap(timesMs: readonly number[]): number {
  const sorted = [...timesMs].sort((one, other) => one - other);
  return Math.max(0, ...sorted.slice(1).map((time, at) => time - (sorted[at] ?? time)));
}

/** Of numbers in rising order. */
export function percentile(sorted: readonly number[], part: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0;
}

/** As `longestGap`, of each share on its own, from the first strike on; a later strike begins anew. */
function servedAgain(acknowledged: readonly Sent[], struckAtMs: readonly number[]): number {
  const timesOfShare = new Map<number, number[]>();
  for (const { payer, endedAtMs } of acknowledged) {
    const share = shareOf(payer.id);
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

/** Which instance acts for a user is decided by the partition of their commands. */
function shareOf(userId: string): number {
  return partitioner({ topic, partitionMetadata, message: { key: userId, value: null } });
}

const COLUMNS: readonly (readonly [string, (row: Figures) => string | number])[] = [
  ['fault', ({ fault }) => fault],
  ['sent', ({ sent }) => sent],
  ['acknowledged', ({ acknowledged }) => acknowledged],
  ['unknown (happened / did not)', ({ unknown, happened }) => `${unknown} (${happened} / ${unknown - happened})`],
  ['refused (503)', ({ refused }) => refused],
  ['lost', ({ lost }) => lost],
  ['doubled', ({ doubled }) => doubled],
  ['failed requests', ({ failed }) => failed],
  ['longest gap (s)', ({ longestGapMs }) => inSeconds(longestGapMs)],
  ['longest gap of a share (s)', ({ servedAgainMs }) => inSeconds(servedAgainMs)],
  ['p50 (ms)', ({ p50Ms }) => Math.round(p50Ms)],
  ['p99 (ms)', ({ p99Ms }) => Math.round(p99Ms)],
];

/** The first two lines of a table in Markdown whose rows `tableRow` makes. */
export function tableHead(): string {
  return `${tableLine(COLUMNS.map(([name]) => name))}\n${tableLine(COLUMNS.map(() => '---'))}`;
}

export function tableRow(figures: Figures): string {
  return tableLine(COLUMNS.map(([, cell]) => cell(figures)));
}

/** Of a table in Markdown. */
export function tableLine(cells: readonly (string | number)[]): string {
  return `| ${cells.join(' | ')} |`;
}

function inSeconds(timeMs: number): string {
  return (timeMs / 1_000).toFixed(2);
}
