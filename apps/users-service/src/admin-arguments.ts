import type { UserChange } from './people.js';

/** The flags of a person, as the command line names them, in the order in which they are shown. */
export const USER_FLAGS = {
  business: 'isBusiness',
  'legacy-access': 'legacyAccess',
  verified: 'verified',
  frozen: 'isFrozen',
} as const satisfies Record<string, keyof UserChange>;

type Field = (typeof USER_FLAGS)[keyof typeof USER_FLAGS];

export interface AdminCommand {
  readonly username: string;
  /** Who decides this, for the security log; null: the user of the operating system. */
  readonly operator: string | null;
  /** Without a flag: the person is only shown. */
  readonly change: Pick<UserChange, Field>;
}

const USAGE = `npm run admin -- user <username> [--business] [--legacy-access] [--verified] [--frozen]
       --no-<flag> or --<flag>=false takes a flag back; without one the person is shown
       --operator=<name> names you in the security log, in place of the user of the operating system
       npm run admin -- app <client_id> ... makes an app`;
const OPERATOR = /^--operator=(.*)$/;
const OPERATOR_NAME = /^[A-Za-z0-9._-]{1,64}$/;
const FLAG = /^--(no-)?([a-z-]+?)(?:=(true|false))?$/;

/** What the command line asks for. Errors: what is wrong, and how it is written. */
export function readAdminArguments(args: readonly string[]): AdminCommand {
  const [kind, username, ...more] = args.filter((arg) => !arg.startsWith('-'));
  if (kind !== 'user') throw misread(kind === undefined ? 'Whom?' : `"${kind}" is not understood.`);
  if (username === undefined) throw misread('Which user?');
  if (more.length > 0) throw misread(`"${more.join(' ')}" is not understood.`);
  const change: Partial<Record<Field, boolean>> = {};
  const operators = args.flatMap((arg) => OPERATOR.exec(arg)?.[1] ?? []);
  if (operators.length > 1 || !operators.every((name) => OPERATOR_NAME.test(name))) {
    throw misread('An operator is one name of at most 64 letters, digits, dots, underscores and hyphens.');
  }
  for (const arg of args.filter((each) => each.startsWith('-') && !OPERATOR.test(each))) {
    const { field, value } = readFlag(arg);
    if (change[field] !== undefined) throw misread(`"${arg}" is written beside another of the same flag.`);
    change[field] = value;
  }
  return { username, operator: operators[0] ?? null, change };
}

function readFlag(arg: string) {
  const [, no, name = '', value] = FLAG.exec(arg) ?? [];
  if (!Object.hasOwn(USER_FLAGS, name)) throw misread(`"${arg}" is no flag.`);
  if (no !== undefined && value !== undefined) throw misread(`"${arg}" says it twice.`);
  return { field: USER_FLAGS[name as keyof typeof USER_FLAGS], value: no === undefined && value !== 'false' };
}

function misread(problem: string): Error {
  return new Error(`${problem} Write\n       ${USAGE}`);
}
