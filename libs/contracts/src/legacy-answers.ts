import type { ErrorCode, SettleError } from './errors.js';

/** Codes of the former interface, by ours. */
const LEGACY_CODES: Partial<Record<ErrorCode, string>> = {
  invalid_amount: '104',
  missing_parameter: '241',
  invalid_scope: '246',
  invalid_client: '247',
  unsupported_response_type: '249',
  invalid_grant: '257',
  insufficient_scope: '260',
  missing_token: '261',
  invalid_token: '261',
  revoked_token: '262',
  expired_token: '265',
  unsupported_grant_type: '276',
  rate_limited: '277',
  resource_not_found: '283',
  sandbox_amount_unknown: '503',
  insufficient_funds: '1319',
  invalid_target: '1343',
  invalid_email: '1343',
  invalid_phone: '1343',
  account_frozen: '1344',
  invalid_note: '1355',
  cannot_pay_self: '1356',
  payment_not_pending: '2901',
  invalid_audience: '3104',
};
const OTHER_CODE = '240';
const DATETIME_FIELD = /^date_/;

/** The code that the former interface had for a refusal, as the text of digits that its clients compare. */
export function legacyErrorCode(code: ErrorCode): string {
  return LEGACY_CODES[code] ?? OTHER_CODE;
}

/**
 * Returns the code of a refusal as its app reads it: the legacy one where the app takes legacy answers.
 * @param takesLegacyAnswers whether the app is known to; details of the refusal may say so as well
 */
export function codeForApp({ code, details }: SettleError, takesLegacyAnswers = false): string {
  return takesLegacyAnswers || details['legacyAnswers'] === true ? legacyErrorCode(code) : code;
}

/**
 * An answer as apps with legacy answers get it: every datetime is without `Z`, as samples of the former interface show
 * it, and clients of it read it.
 */
export function withLegacyDatetimes(answer: unknown): unknown {
  if (typeof answer !== 'object' || answer === null) return answer;
  if (Array.isArray(answer)) return answer.map(withLegacyDatetimes);
  return Object.fromEntries(
    Object.entries(answer).map(([name, value]: [string, unknown]) => {
      const isDatetime = DATETIME_FIELD.test(name) && typeof value === 'string';
      return [name, isDatetime ? value.replace(/Z$/, '') : withLegacyDatetimes(value)];
    }),
  );
}
