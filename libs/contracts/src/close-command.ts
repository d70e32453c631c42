import { parseArgs } from 'node:util';
import { isId } from './ids.js';
import { OPERATOR_NAME_RULE, OPERATOR_REASON_RULE, isOperatorName, isOperatorReason } from './operator-options.js';

/**
 * The steps by which `npm run admin -- close` closes an account, in their order, each with the service that takes it.
 * Each can be repeated. Texts are erased before the profile: the record of the closed user makes other services forget
 * the responses that they keep.
 */
export const CLOSE_STEPS = [
  { step: 'check', service: 'payments' },
  { step: 'freeze', service: 'users' },
  { step: 'settle', service: 'payments' },
  { step: 'sign-in', service: 'auth' },
  { step: 'texts', service: 'payments' },
  { step: 'profile', service: 'users' },
] as const;

export type CloseStep = (typeof CLOSE_STEPS)[number]['step'];

/** One step of a service: `close <step> <user id>`. */
export interface CloseCommand {
  readonly step: CloseStep;
  readonly userId: string;
  /** The operator's name for the audit; null: the user of the operating system. */
  readonly operator: string | null;
  readonly reason: string | null;
}

export const CLOSE_USAGE = `npm run admin -- close <id or username> [--reason <text>] [--operator <name>]
       closes an account for ever and erases its user; run it again if it was interrupted, then by the id`;

const text = { type: 'string' } as const;

/** Parses the command line of a step. Errors: what is wrong, and the usage. */
export function readCloseCommand(args: readonly string[]): CloseCommand {
  const { values, positionals } = parseArgs({
    args: args.slice(1),
    options: { operator: text, reason: text },
    allowPositionals: true,
  });
  const [name, userId = '', ...more] = positionals;
  const found = CLOSE_STEPS.find(({ step }) => step === name);
  const { operator = null, reason = null } = values;
  if (found === undefined || more.length > 0) throw misread(`"${positionals.join(' ')}" is not understood.`);
  if (!isId(userId)) throw misread(`"${userId}" is not the id of a user.`);
  if (operator !== null && !isOperatorName(operator)) throw misread(OPERATOR_NAME_RULE);
  if (reason !== null && !isOperatorReason(reason)) throw misread(OPERATOR_REASON_RULE);
  return { step: found.step, userId, operator, reason };
}

function misread(problem: string): Error {
  return new Error(`${problem} Usage:\n       ${CLOSE_USAGE}`);
}
