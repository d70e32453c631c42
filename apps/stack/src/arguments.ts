import { LIMITS } from '@settle/config';
import { SERVICES, SERVICE_NAMES, type ServiceName } from '@settle/contracts/services';

/** Number of instances of each service. */
export type Counts = Readonly<Record<ServiceName, number>>;

export type Command =
  | { readonly kind: 'run'; readonly counts: Counts }
  | { readonly kind: 'scale'; readonly service: ServiceName; readonly count: number }
  | {
      readonly kind: 'restart';
      /** Null: every service. */
      readonly service: ServiceName | null;
    }
  | { readonly kind: 'targets'; /** Where they are written; null: printed. */ readonly file: string | null }
  | { readonly kind: 'kafka'; readonly action: 'stop' | 'start' }
  | { readonly kind: 'status'; readonly asJson: boolean };

const GROUPS = SERVICE_NAMES.map((service) => SERVICES[service].group);
const USAGE = `npm run stack -- ${GROUPS.map((group) => `[--${group} <n>]`).join(' ')}
       npm run stack -- scale <${GROUPS.join('|')}> <n>
       npm run stack -- restart [${GROUPS.join('|')}]
       npm run stack -- status [--json]
       npm run stack -- targets [--to <file>]
       npm run stack -- kafka <stop|start>`;

type ReadCommand = (rest: readonly string[]) => Command | null;

const READERS: Readonly<Record<string, ReadCommand>> = {
  scale: ([group, count = '', ...more]) => {
    const service = serviceOf(group);
    return service === undefined || more.length > 0 ? null : { kind: 'scale', service, count: readCount(count) };
  },
  restart: ([group, ...more]) => {
    if (group === undefined) return { kind: 'restart', service: null };
    const service = serviceOf(group);
    return service === undefined || more.length > 0 ? null : { kind: 'restart', service };
  },
  kafka: ([action, ...more]) =>
    (action === 'stop' || action === 'start') && more.length === 0 ? { kind: 'kafka', action } : null,
  status: (rest) => (rest.every((arg) => arg === '--json') ? { kind: 'status', asJson: rest.length > 0 } : null),
  targets: ([option, file, ...more]) => {
    if (option === undefined) return { kind: 'targets', file: null };
    return option === '--to' && file !== undefined && more.length === 0 ? { kind: 'targets', file } : null;
  },
};

/** Parses the command line. Errors: the problem and the usage. */
export function readCommand(args: readonly string[]): Command {
  const [first, ...rest] = args;
  if (first === undefined || first.startsWith('--')) return { kind: 'run', counts: readCounts(args) };
  const command = Object.hasOwn(READERS, first) ? READERS[first]?.(rest) : null;
  if (command === null || command === undefined) throw misread(args.join(' '));
  return command;
}

function readCounts(args: readonly string[]): Counts {
  const counts: Record<string, number> = Object.fromEntries(
    SERVICE_NAMES.map((service) => [service, SERVICES[service].instances]),
  );
  const words = args.flatMap((arg) => arg.split('='));
  for (let at = 0; at < words.length; at += 2) {
    const service = serviceOf((words[at] ?? '').replace(/^--/, ''));
    if (service === undefined) throw misread(words[at] ?? '');
    counts[service] = readCount(words[at + 1] ?? '');
  }
  return counts as Counts;
}

function readCount(text: string): number {
  const count = /^\d{1,3}$/.test(text) ? Number(text) : 0;
  const most = LIMITS.stack.instancesAtMost;
  if (count < 1 || count > most) throw new Error(`How many? A whole number from 1 to ${most} is wanted, not "${text}"`);
  return count;
}

function serviceOf(group: string | undefined): ServiceName | undefined {
  return SERVICE_NAMES.find((service) => SERVICES[service].group === group);
}

function misread(what: string): Error {
  return new Error(`"${what}" is not understood. Write\n       ${USAGE}`);
}
