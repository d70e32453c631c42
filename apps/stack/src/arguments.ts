import { LIMITS } from '@settle/config';

/** The services, as the command line names them, in the order in which they are listed. */
export const GROUPS = ['gateways', 'payments', 'users', 'auth'] as const;
export type Group = (typeof GROUPS)[number];
export type Counts = Readonly<Record<Group, number>>;

/** Two of auth-service: without it no token can be checked, and one alone takes seconds to be replaced. */
const USUAL_COUNTS: Counts = { gateways: 1, payments: 1, users: 1, auth: 2 };

export type Command =
  | { readonly kind: 'run'; readonly counts: Counts }
  | { readonly kind: 'scale'; readonly group: Group; readonly count: number }
  | { readonly kind: 'kafka'; readonly action: 'stop' | 'start' }
  | { readonly kind: 'status'; readonly asJson: boolean };

const USAGE = `npm run stack -- [--gateways <n>] [--payments <n>] [--users <n>] [--auth <n>]
       npm run stack -- scale <gateways|payments|users|auth> <n>
       npm run stack -- status [--json]
       npm run stack -- kafka <stop|start>`;

/** Parses the command line. Errors: the problem and the usage. */
export function readCommand(args: readonly string[]): Command {
  const [first = '', ...rest] = args;
  if (first === '' || first.startsWith('--')) return { kind: 'run', counts: readCounts(args) };
  const command = first === 'scale' ? readScale(rest) : first === 'kafka' ? readKafka(rest) : readStatus(first, rest);
  if (command === null) throw misread(args.join(' '));
  return command;
}

function readScale([group = '', count = '', ...more]: readonly string[]): Command | null {
  if (!isGroup(group) || more.length > 0) return null;
  return { kind: 'scale', group, count: readCount(count) };
}

function readKafka([action = '', ...more]: readonly string[]): Command | null {
  const isKnown = action === 'stop' || action === 'start';
  return isKnown && more.length === 0 ? { kind: 'kafka', action } : null;
}

function readStatus(first: string, rest: readonly string[]): Command | null {
  const isRight = first === 'status' && rest.every((arg) => arg === '--json');
  return isRight ? { kind: 'status', asJson: rest.length > 0 } : null;
}

function readCounts(args: readonly string[]): Counts {
  const counts: Record<Group, number> = { ...USUAL_COUNTS };
  const words = args.flatMap((arg) => arg.split('='));
  for (let at = 0; at < words.length; at += 2) {
    const name = (words[at] ?? '').replace(/^--/, '');
    if (!isGroup(name)) throw misread(words[at] ?? '');
    counts[name] = readCount(words[at + 1] ?? '');
  }
  return counts;
}

function readCount(text: string): number {
  const count = /^\d{1,3}$/.test(text) ? Number(text) : 0;
  const most = LIMITS.stack.instancesAtMost;
  if (count < 1 || count > most) throw new Error(`How many? A whole number from 1 to ${most} is wanted, not "${text}"`);
  return count;
}

function isGroup(text: string): text is Group {
  return (GROUPS as readonly string[]).includes(text);
}

function misread(what: string): Error {
  return new Error(`"${what}" is not understood. Write\n       ${USAGE}`);
}
