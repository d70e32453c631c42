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
  const [first = '', ...rest] = args;
  if (first === '' || first.startsWith('--')) return { kind: 'run', counts: readCounts(args) };
  const command = first === 'scale' ? readScale(rest) : first === 'kafka' ? readKafka(rest) : readStatus(first, rest);
  if (command === null) throw misread(args.join(' '));
  return command;
}

function readScale([group = '', count = '', ...more]: readonly string[]): Command | null {
  const service = serviceOf(group);
  if (service === undefined || more.length > 0) return null;
  return { kind: 'scale', service, count: readCount(count) };
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

function serviceOf(group: string): ServiceName | undefined {
  return SERVICE_NAMES.find((service) => SERVICES[service].group === group);
}

function misread(what: string): Error {
  return new Error(`"${what}" is not understood. Write\n       ${USAGE}`);
}
