import { LIMITS } from '@settle/config';
import { SERVICES, SERVICE_NAMES, type ServiceName } from '@settle/contracts/services';

/** Number of instances of each service. */
export type Counts = Readonly<Record<ServiceName, number>>;

export type Command =
  | { readonly kind: 'run'; readonly counts: Counts }
  | { readonly kind: 'scale'; readonly service: ServiceName; readonly count: number }
  | { readonly kind: 'kafka'; readonly action: 'stop' | 'start' }
  | { readonly kind: 'status'; readonly asJson: boolean };

const GROUPS = SERVICE_NAMES.map((service) => SERVICES[service].group);
const USAGE = `npm run stack -- ${GROUPS.map((group) => `[--${group} <n>]`).join(' ')}
       npm run stack -- scale <${GROUPS.join('|')}> <n>
       npm run stack -- status [--json]
       npm run stack -- kafka <stop|start>`;

/** Parses the command line. Errors: the problem and the usage. */
export function readCommand(args: readonly string[]): Command {
  const [first, second, third = ''] = args;
  const rest = args.slice(1);
  const service = serviceOf(second);
  if (first === undefined || first.startsWith('--')) return { kind: 'run', counts: readCounts(args) };
  if (first === 'scale' && service !== undefined && rest.length <= 2) {
    return { kind: 'scale', service, count: readCount(third) };
  }
  if (first === 'kafka' && (second === 'stop' || second === 'start') && rest.length === 1) {
    return { kind: 'kafka', action: second };
  }
  if (first === 'status' && rest.every((arg) => arg === '--json')) return { kind: 'status', asJson: rest.length > 0 };
  throw misread(args.join(' '));
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
