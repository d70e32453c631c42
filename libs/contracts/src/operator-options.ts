const OPERATOR_NAME = /^[A-Za-z0-9._-]{1,64}$/;
/** Control characters, line breaks and halves of characters could not be shown again as they were typed. */
const NOT_IN_A_LINE = /[\p{Cc}\p{Cs}\u2028\u2029]/u;
const REASON_CHARACTERS = 500;

export const OPERATOR_NAME_RULE =
  'The operator must be one name of at most 64 letters, digits, dots, underscores and hyphens.';
export const OPERATOR_REASON_RULE = `The reason must be one line of at most ${REASON_CHARACTERS} characters.`;

/** Whether the security log and the audit take this as the name of an operator. */
export function isOperatorName(name: string): boolean {
  return OPERATOR_NAME.test(name);
}

/** Whether the audit takes this as an operator's reason. */
export function isOperatorReason(reason: string): boolean {
  return reason.trim() !== '' && reason.length <= REASON_CHARACTERS && !NOT_IN_A_LINE.test(reason);
}

/**
 * Takes an option with a value, `--reason=text` or `--reason text`, out of a command line.
 * @returns its values in their order, and the other arguments
 */
export function takeOption(
  args: readonly string[],
  name: string,
): { readonly values: readonly string[]; readonly rest: readonly string[] } {
  const values: string[] = [];
  const rest: string[] = [];
  for (let at = 0; at < args.length; at += 1) {
    const arg = args[at] ?? '';
    if (arg === `--${name}`) {
      at += 1;
      values.push(args[at] ?? '');
    } else if (arg.startsWith(`--${name}=`)) values.push(arg.slice(name.length + 3));
    else rest.push(arg);
  }
  return { values, rest };
}
