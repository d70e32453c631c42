import { LIMITS } from '@settle/config';

/** The services, as the command line names them, in the order in which they are listed. */
export const GROUPS = ['gateways', 'payments', 'users', 'auth'] as const;
export type Group = (typeof GROUPS)[number];
export type Counts = Readonly<Record<Group, number>>;

export type Command =
  | { readonly kind: 'run'; readonly counts: Counts }
  | { readonly kind: 'scale'; readonly group: Group; readonly count: number }
  | { readonly kind: 'kafka'; readonly action: 'stop' | 'start' }
  | { readonly kind: 'status'; readonly asJson: boolean };

const USAGE = `npm run stack -- [--gateways <n>] [--payments <n>] [--users <n>] [--auth <n>]
       npm run stack -- scale <gateways|payments|users|auth> <n>
       npm run stack -- status [--json]
       npm run stack -- kafka <stop|start>`;

/** What the command line asks for. Errors: what is wrong, and how it is written. */
export function readCommand(args: readonly string[]): Command {
  const [first = '', second = '', third = ''] = args;
  if (first === '' || first.startsWith('--')) return { kind: 'run', counts: readCounts(args) };
  if (first === 'scale' && isGroup(second) && args.length === 3) {
    return { kind: 'scale', group: second, count: readCount(third) };
  }
  if (first === 'kafka' && (second === 'stop' || second === 'start') && args.length === 2) {
    return { kind: 'kafka', action: second };
  }
  if (first === 'status' && args.slice(1).every((arg) => arg === '--json')) {
    return { kind: 'status', asJson: args.length > 1 };
  }
  throw misread(args.join(' '));
}

function readCounts(args: readonly string[]): Counts {
  const counts: Record<Group, number> = { gateways: 1, payments: 1, users: 1, auth: 1 };
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
