import {
  OPERATOR_NAME_RULE,
  OPERATOR_REASON_RULE,
  isOperatorName,
  isOperatorReason,
  takeOption,
} from './operator-options.js';

/** The flags of a user that an operator may set, with their command line names, in display order. */
const USER_FLAG_NAMES = ['business', 'legacy-access', 'verified', 'frozen', 'frozen-for-reading'] as const;

export type UserFlagName = (typeof USER_FLAG_NAMES)[number];

/** `npm run admin -- user ...`. users-service does one part of it, auth-service the flag `frozen-for-reading`. */
export interface UserCommand {
  readonly username: string;
  /** The operator's name for the security log and the audit; null: the user of the operating system. */
  readonly operator: string | null;
  /** The operator's reason for the audit; null: none was given. */
  readonly reason: string | null;
  /** Without a flag the user is only shown. */
  readonly flags: Readonly<Partial<Record<UserFlagName, boolean>>>;
}

const USAGE = `npm run admin -- user <username> [--business] [--legacy-access] [--verified] [--frozen] [--frozen-for-reading]
       --no-<flag> or --<flag>=false takes a flag back; without one the user is shown
       --frozen-for-reading also sets --frozen, and --no-frozen also takes --frozen-for-reading back
       --reason=<text> says why, for the audit; --operator=<name> names you in it and in the security log, in place of
       the user of the operating system
       npm run admin -- find <e-mail, phone, id, username or payment> finds users; timeline <payment> tells what happened
       npm run admin -- audit [--user <username>] lists what operators changed
       npm run admin -- end-sessions <username> ends sessions and tokens of a user
       npm run admin -- app <client_id> ... makes an app; suspend-app <client_id> and resume-app <client_id> stop and allow one`;
const FLAG = /^--(no-)?([a-z-]+?)(?:=(true|false))?$/;

/** Reads the command line of `user`. Errors: what is wrong, and how it is written. */
export function readUserCommand(args: readonly string[]): UserCommand {
  const { values: operators, rest: withoutOperator } = takeOption(args, 'operator');
  const { values: reasons, rest } = takeOption(withoutOperator, 'reason');
  const [kind, username, ...more] = rest.filter((arg) => !arg.startsWith('-'));
  if (kind !== 'user') throw misread(kind === undefined ? 'Whom?' : `"${kind}" is not understood.`);
  if (username === undefined) throw misread('Which user?');
  if (more.length > 0) throw misread(`"${more.join(' ')}" is not understood.`);
  if (operators.length > 1 || !operators.every(isOperatorName)) throw misread(OPERATOR_NAME_RULE);
  if (reasons.length > 1 || !reasons.every(isOperatorReason)) throw misread(OPERATOR_REASON_RULE);
  const flags: Partial<Record<UserFlagName, boolean>> = {};
  for (const arg of rest.filter((each) => each.startsWith('-'))) {
    const { name, value } = readFlag(arg);
    if (flags[name] !== undefined) throw misread(`"${arg}" is written beside another of the same flag.`);
    flags[name] = value;
  }
  return { username, operator: operators[0] ?? null, reason: reasons[0] ?? null, flags: withImplied(flags) };
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
