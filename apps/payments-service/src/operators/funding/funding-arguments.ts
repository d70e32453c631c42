import { parseArgs } from 'node:util';
import { LIMITS } from '@settle/config';
import { isOperatorName, formatDollars } from '@settle/contracts';
import { operatorName } from '@settle/observability';
import { parseAmountCents, type OperatorDecision } from '@settle/payments-domain';

const { bookedCents, reasonCharacters, referenceCharacters } = LIMITS.operators;

const USAGE = `npm run funding -- pending
       npm run funding -- deposit|withdraw --user <id or username> --amount 12.34 --reference <the bank's> --reason <text>
       npm run funding -- ask|cancel <key>
       npm run funding -- withdrawal approve|refuse <id> --reason <text>
       npm run funding -- contradiction close <key> --reason <text>
       npm run funding -- orphan repay <key> [--user <id or username>] --reason <text>
       npm run funding -- reconcile <statement.csv> [--report <file>]
       Commands that change something only say what they would do; --confirm does it. --operator <name> names you in the
       event, in place of the user of the operating system`;

/** Whether the command does it; otherwise it says what it would do. */
interface Changing {
  readonly isConfirmed: boolean;
}

/** A bank transfer that an operator books by hand. */
export interface TransferOrder extends Changing {
  readonly type: 'deposit' | 'withdraw';
  /** Id or username. */
  readonly user: string;
  readonly amountCents: number;
  readonly decision: OperatorDecision;
}

/** Asks the provider soon, or has a change of it applied that was given up; or asks it to cancel a charge. */
export interface ProviderOrder extends Changing {
  readonly type: 'ask' | 'cancel';
  readonly key: string;
}

export interface ReviewOrder extends Changing {
  readonly type: 'approve' | 'refuse';
  readonly withdrawalId: string;
  readonly decision: OperatorDecision;
}

export interface CloseOrder extends Changing {
  readonly type: 'close';
  readonly key: string;
  readonly decision: OperatorDecision;
}

/** Gives back a charge of the provider that the log does not know. */
export interface OrphanOrder extends Changing {
  readonly type: 'repay';
  readonly key: string;
  /** Id or username; null: the key names the user. */
  readonly user: string | null;
  readonly decision: OperatorDecision;
}

export interface ReconcileOrder {
  readonly type: 'reconcile';
  readonly file: string;
  /** Where every difference is written; null: nowhere. */
  readonly report: string | null;
}

export type FundingOrder =
  | { readonly type: 'pending' }
  | TransferOrder
  | ProviderOrder
  | ReviewOrder
  | CloseOrder
  | OrphanOrder
  | ReconcileOrder;

const text = { type: 'string' } as const;
const OPTIONS = {
  user: text,
  amount: text,
  reference: text,
  reason: text,
  operator: text,
  report: text,
  confirm: { type: 'boolean', default: false },
} as const;

type Values = ReturnType<typeof read>['values'];
type OptionName = keyof typeof OPTIONS;

const WITH_DECISION = ['reason', 'operator', 'confirm'] as const;

type ReadOrder = (rest: readonly string[], values: Values) => FundingOrder | null;

const readTransfer =
  (type: TransferOrder['type']): ReadOrder =>
  (rest, values) => {
    refuseOthers(type, values, ['user', 'amount', 'reference', ...WITH_DECISION]);
    if (rest.length > 0) return null;
    const user = required(values, 'user');
    const amountCents = amountOf(values);
    return { type, user, amountCents, decision: decisionOf(values, referenceOf(values)), isConfirmed: values.confirm };
  };

const readProviderOrder =
  (type: ProviderOrder['type']): ReadOrder =>
  ([key, ...more], values) => {
    refuseOthers(type, values, ['confirm']);
    return key === undefined || more.length > 0 ? null : { type, key: keyOf(key), isConfirmed: values.confirm };
  };

const READERS: Readonly<Record<string, ReadOrder>> = {
  pending: (rest, values) => {
    refuseOthers('pending', values, []);
    return rest.length === 0 ? { type: 'pending' } : null;
  },
  deposit: readTransfer('deposit'),
  withdraw: readTransfer('withdraw'),
  ask: readProviderOrder('ask'),
  cancel: readProviderOrder('cancel'),
  withdrawal: ([type, id, ...more], values) => {
    refuseOthers('withdrawal', values, WITH_DECISION);
    if ((type !== 'approve' && type !== 'refuse') || id === undefined || more.length > 0) return null;
    return { type, withdrawalId: keyOf(id), decision: decisionOf(values, ''), isConfirmed: values.confirm };
  },
  contradiction: ([action, key, ...more], values) => {
    refuseOthers('contradiction', values, WITH_DECISION);
    if (action !== 'close' || key === undefined || more.length > 0) return null;
    return { type: 'close', key: keyOf(key), decision: decisionOf(values, ''), isConfirmed: values.confirm };
  },
  orphan: ([action, key, ...more], values) => {
    refuseOthers('orphan', values, ['user', ...WITH_DECISION]);
    if (action !== 'repay' || key === undefined || more.length > 0) return null;
    const [user, decision] = [values.user ?? null, decisionOf(values, '')];
    return { type: 'repay', key: keyOf(key), user, decision, isConfirmed: values.confirm };
  },
  reconcile: ([file, ...more], values) => {
    refuseOthers('reconcile', values, ['report']);
    return file === undefined || more.length > 0 ? null : { type: 'reconcile', file, report: values.report ?? null };
  },
};

/** Reads the command line. Errors: one line that says what is wrong, or the usage. */
export function readFundingOrder(args: readonly string[]): FundingOrder {
  const { values, positionals } = read(args);
  const [type = '', ...rest] = positionals;
  const order = Object.hasOwn(READERS, type) ? READERS[type]?.(rest, values) : null;
  if (order !== null && order !== undefined) return order;
  throw new Error(`"${positionals.join(' ')}" is not understood. Write\n       ${USAGE}`);
}

function read(args: readonly string[]) {
  return parseArgs({ args: [...args], options: OPTIONS, allowPositionals: true });
}

function refuseOthers(type: string, values: Values, names: readonly OptionName[]): void {
  const given = (Object.keys(values) as OptionName[]).filter((name) => values[name] !== false);
  const other = given.find((name) => !names.includes(name));
  if (other !== undefined) throw new Error(`--${other}: "${type}" does not take it`);
}

function required(values: Values, name: 'user' | 'amount' | 'reference' | 'reason'): string {
  const value = values[name]?.trim();
  if (value === undefined || value === '') throw new Error(`--${name}: it is needed here`);
  return value;
}

function amountOf(values: Values): number {
  const amountCents = parseAmountCents(required(values, 'amount'), bookedCents);
  if (amountCents !== null && amountCents > 0) return amountCents;
  throw new Error(`--amount: write dollars such as 12.34, above zero and at most ${formatDollars(bookedCents)}`);
}

function referenceOf(values: Values): string {
  return line(required(values, 'reference'), 'reference', referenceCharacters);
}

function decisionOf(values: Values, reference: string): OperatorDecision {
  const reason = line(required(values, 'reason'), 'reason', reasonCharacters);
  const operator = operatorName(values.operator ?? null);
  if (!isOperatorName(operator)) {
    throw new Error('--operator: one name of at most 64 letters, digits, dots, underscores and hyphens');
  }
  return { operator, reason, reference };
}

/** Control characters, line breaks and halves of characters could not be shown again as they were typed. */
function line(value: string, name: string, characters: number): string {
  if (value.length <= characters && !/[\p{Cc}\p{Cs}\u2028\u2029]/u.test(value)) return value;
  throw new Error(`--${name}: one line of at most ${characters} characters`);
}

function keyOf(key: string): string {
  if (/^[A-Za-z0-9._:-]{1,200}$/.test(key)) return key;
  throw new Error(`"${key}": a key or id has at most 200 letters, digits, dots, colons, underscores and hyphens`);
}
