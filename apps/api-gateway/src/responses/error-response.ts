import { LIMITS } from '@settle/config';
import { SettleError, codeForApp, fromErrorPayload, toErrorPayload } from '@settle/contracts';

/** HTTP form of an error. */
export interface ErrorResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: {
    readonly error: {
      readonly message: string;
      /** A code of the catalogue, or a legacy one. */ readonly code: string;
    };
  };
}

export const NOTHING_HERE = new SettleError('resource_not_found', 'Nothing is at this address: check the path.');

export const BODY_TOO_LARGE = new SettleError('payload_too_large', 'The body is too large: send at most 64 KiB.');
export const OTHER_MEDIA_TYPE = new SettleError(
  'unsupported_media_type',
  'Send the body as application/x-www-form-urlencoded, multipart/form-data or application/json.',
);

/** Fastify's own errors with those of the catalogue. */
const FRAMEWORK_ERRORS: Readonly<Record<string, SettleError>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: BODY_TOO_LARGE,
  FST_ERR_CTP_INVALID_MEDIA_TYPE: OTHER_MEDIA_TYPE,
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: new SettleError(
    'invalid_request',
    'The body is not as long as Content-Length says.',
  ),
  FST_ERR_BAD_URL: new SettleError('invalid_request', 'The URL holds a broken percent escape: encode it again.'),
  FST_ERR_MAX_PARAM_LENGTH: new SettleError('uri_too_long', 'A part of the path is too long.'),
};

/** Returns the error of the catalogue that an error stands for; null for an unexpected error. */
export function refusalIn(error: unknown): SettleError | null {
  if (error instanceof SettleError) return error;
  if (!(error instanceof Error)) return null;
  const known = 'code' in error && typeof error.code === 'string' ? FRAMEWORK_ERRORS[error.code] : undefined;
  if (known !== undefined) return known;
  const status = 'statusCode' in error ? Number(error.statusCode) : 500;
  const isOfCaller = status >= 400 && status < 500;
  return isOfCaller ? new SettleError('invalid_request', 'The request cannot be read: check how it is encoded.') : null;
}

/**
 * Returns the response to an error. An unexpected error is reported without details.
 * @param takesLegacyAnswers whether the app is known to; the error's details may say so as well
 */
export function errorResponse(error: unknown, takesLegacyAnswers = false): ErrorResponse {
  const refusal = refusalIn(error) ?? fromErrorPayload(toErrorPayload(error));
  const { message, status } = refusal;
  const code = codeForApp(refusal, takesLegacyAnswers);
  return { status, headers: headersOf(refusal), body: { error: { message, code } } };
}

function headersOf({ code, details, status }: SettleError): Record<string, string> {
  const headers: Record<string, string> = {};
  if (details['allow'] !== undefined) headers['allow'] = String(details['allow']);
  if (status === 503 || status === 429 || code === 'idempotency_in_progress') {
    headers['retry-after'] = String(details['retryAfterSeconds'] ?? LIMITS.gateway.retryAfterSeconds);
  }
  if (code === 'missing_token') headers['www-authenticate'] = 'Bearer';
  else if (status === 401) headers['www-authenticate'] = 'Bearer error="invalid_token"';
  else if (code === 'insufficient_scope') {
    headers['www-authenticate'] = `Bearer error="insufficient_scope", scope="${String(details['scope'] ?? '')}"`;
  }
  return headers;
}
