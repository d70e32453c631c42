import { formatDollars } from '@settle/contracts';
import { LIMITS } from '@settle/config';
import { listWaitingMoney, sumWaitingMoney, type WaitingMoney } from '../../read-models/funding/waiting-money.js';
import { DONE } from '../run-command.js';
import type { FundingPlace } from './funding-place.js';
import { isoTime } from '../iso-time.js';

const MINUTE_US = 60_000_000;
const UNITS = [
  ['d', 24 * 60 * MINUTE_US],
  ['h', 60 * MINUTE_US],
  ['min', MINUTE_US],
  ['s', 1_000_000],
] as const;

const HEAD = ['waits for', 'kind', 'key', 'user', 'amount', 'since', 'age'];

/** Prints what waits, since when and for whom, the oldest first, then the sum of each kind. Changes nothing. */
export async function listPending({ pool, clock, say }: FundingPlace): Promise<number> {
  const nowUs = clock.nowUs();
  const { waitingListed } = LIMITS.operators;
  const waiting = await listWaitingMoney(pool, waitingListed);
  const sums = (await sumWaitingMoney(pool, Number.MAX_SAFE_INTEGER)).filter(({ rows }) => rows > 0);
  if (sums.length === 0) {
    say('Nothing waits');
    return DONE;
  }
  for (const line of toColumns([HEAD, ...waiting.map((row) => rowOf(row, nowUs))])) say(line);
  const rows = sums.reduce((sum, each) => sum + each.rows, 0);
  if (rows > waiting.length) say(`and ${rows - waiting.length} more, which came later`);
  for (const { kind, waitsFor, rows: count, cents, sinceUs } of sums) {
    const oldest = sinceUs === null ? '' : `, the oldest for ${ageOf(nowUs - sinceUs)}`;
    const amount = kind === 'contradiction' ? '' : ` of ${formatDollars(cents)} together`;
    say(`waits for ${waitsFor}: ${count} ${kind}${count === 1 ? '' : 's'}${amount}${oldest}`);
  }
  return DONE;
}

function rowOf(
  { waitsFor, kind, key, userId, cents, sinceUs, reason }: WaitingMoney,
  nowUs: number,
): readonly string[] {
  const amount = cents === null ? '-' : formatDollars(cents);
  const since = isoTime(sinceUs);
  const named = reason === null ? kind : `${kind} ${reason}`;
  return [waitsFor, named, key, userId ?? '-', amount, since, ageOf(nowUs - sinceUs)];
}

/** Returns a duration in its largest whole unit, such as "3 d". */
function ageOf(us: number): string {
  const [unit, unitUs] = UNITS.find((each) => us >= each[1]) ?? ['s', 1_000_000];
  return `${Math.max(0, Math.floor(us / unitUs))} ${unit}`;
}

function toColumns(rows: readonly (readonly string[])[]): readonly string[] {
  const widths = HEAD.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}
