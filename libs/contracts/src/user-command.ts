/** The flags of a user that an operator may set, with their command line names, in display order. */
export const USER_FLAG_NAMES = ['business', 'legacy-access', 'verified', 'frozen', 'frozen-for-reading'] as const;

export type UserFlagName = (typeof USER_FLAG_NAMES)[number];

/** `npm run admin -- user ...`. users-service does one part of it, auth-service the flag `frozen-for-reading`. */
export interface UserCommand {
  readonly username: string;
  /** The operator's name for the security log; null: the user of the operating system. */
  readonly operator: string | null;
  /** Without a flag the user is only shown. */
  readonly flags: Readonly<Partial<Record<UserFlagName, boolean>>>;
}

const USAGE = `npm run admin -- user <username> [--business] [--legacy-access] [--verified] [--frozen] [--frozen-for-reading]
       --no-<flag> or --<flag>=false takes a flag back; without one the user is shown
       --frozen-for-reading also sets --frozen, and --no-frozen also takes --frozen-for-reading back
       --operator=<name> names you in the security log, in place of the user of the operating system
       npm run admin -- end-sessions <username> ends sessions and tokens of a user
       npm run admin -- app <client_id> ... makes an app; suspend-app <client_id> and resume-app <client_id> stop and allow one`;
const OPERATOR = /^--operator=(.*)$/;
const OPERATOR_NAME = /^[A-Za-z0-9._-]{1,64}$/;
const FLAG = /^--(no-)?([a-z-]+?)(?:=(true|false))?$/;

/** Reads the command line of `user`. Errors: what is wrong, and how it is written. */
export function readUserCommand(args: readonly string[]): UserCommand {
  const [kind, username, ...more] = args.filter((arg) => !arg.startsWith('-'));
  if (kind !== 'user') throw misread(kind === undefined ? 'Whom?' : `"${kind}" is not understood.`);
  if (username === undefined) throw misread('Which user?');
  if (more.length > 0) throw misread(`"${more.join(' ')}" is not understood.`);
  const operators = args.flatMap((arg) => OPERATOR.exec(arg)?.[1] ?? []);
  if (operators.length > 1 || !operators.every(isOperatorName)) {
    throw misread('An operator is one name of at most 64 letters, digits, dots, underscores and hyphens.');
  }
  const flags: Partial<Record<UserFlagName, boolean>> = {};
  for (const arg of args.filter((each) => each.startsWith('-') && !OPERATOR.test(each))) {
    const { name, value } = readFlag(arg);
    if (flags[name] !== undefined) throw misread(`"${arg}" is written beside another of the same flag.`);
    flags[name] = value;
  }
  return { username, operator: operators[0] ?? null, flags: withImplied(flags) };
}

/** Whether the security log takes this as the name of an operator. */
export function isOperatorName(name: string): boolean {
  return OPERATOR_NAME.test(name);
}

/** An account that is frozen for reading is frozen for payments as well. */
function withImplied(flags: UserCommand['flags']): UserCommand['flags'] {
  const { frozen, 'frozen-for-reading': isFrozenForReading } = flags;
  if (frozen === false && isFrozenForReading === true) {
    throw misread('An account that is frozen for reading is frozen: leave one of the two out.');
  }
  if (isFrozenForReading === true) return { ...flags, frozen: true };
  return frozen === false ? { ...flags, 'frozen-for-reading': false } : flags;
}

function readFlag(arg: string): { readonly name: UserFlagName; readonly value: boolean } {
  const [, no, written = '', value] = FLAG.exec(arg) ?? [];
  const name = USER_FLAG_NAMES.find((one) => one === written);
  if (name === undefined) throw misread(`"${arg}" is no flag.`);
  if (no !== undefined && value !== undefined) throw misread(`"${arg}" says it twice.`);
  return { name, value: no === undefined && value !== 'false' };
}

function misread(problem: string): Error {
  return new Error(`${problem} Write\n       ${USAGE}`);
}
