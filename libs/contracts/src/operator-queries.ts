import { parseArgs } from 'node:util';

/** `npm run admin -- audit ...`: which records of the audit are listed. */
export interface AuditQuery {
  /** Id or username; null: all. */
  readonly user: string | null;
  /** Only records from before; null: up to the newest. */
  readonly before: Date | null;
  readonly limit: number;
}

const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 1_000;

const AUDIT_USAGE = `npm run admin -- audit [--user <id or username>] [--before <time>] [--limit <1 to ${MAX_LIMIT}>]
       lists what operators changed, the newest first; a time is written like 2026-03-01T00:00:00Z`;

const text = { type: 'string' } as const;

/** Parses the command line of `audit`. Errors: what is wrong, and the usage. */
export function readAuditQuery(args: readonly string[]): AuditQuery {
  const { user = null, before, limit } = parseAuditOptions(args);
  const count = limit === undefined ? DEFAULT_LIMIT : Number(/^[1-9][0-9]{0,3}$/.exec(limit)?.[0] ?? 0);
  if (count < 1 || count > MAX_LIMIT) throw misread(`--limit: "${limit}" is not a number from 1 to ${MAX_LIMIT}.`);
  return { user, before: before === undefined ? null : parseTime(before), limit: count };
}

/** Parses the command line of `find`, whose subject is the one argument after the verb. Errors: as above. */
export function readFindQuery(args: readonly string[]): string {
  const [, subject = '', ...more] = args;
  if (subject.trim() !== '' && !subject.startsWith('-') && more.length === 0) return subject.trim();
  throw new Error(
    'Name one user or payment. Usage:\n       npm run admin -- find <e-mail, phone, id, username or payment>',
  );
}

function parseAuditOptions(args: readonly string[]): Partial<Record<'user' | 'before' | 'limit', string>> {
  try {
    return parseArgs({ args: args.slice(1), options: { user: text, before: text, limit: text } }).values;
  } catch (error) {
    throw misread((error as Error).message);
  }
}

function parseTime(written: string): Date {
  const at = new Date(written);
  if (/^\d{4}-\d{2}-\d{2}/.test(written) && !Number.isNaN(at.getTime())) return at;
  throw misread(`--before: "${written}" is not a time.`);
}

function misread(problem: string): Error {
  return new Error(`${problem} Usage:\n       ${AUDIT_USAGE}`);
}
