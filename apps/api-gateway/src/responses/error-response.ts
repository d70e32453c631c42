import { LIMITS } from '@settle/config';
import { SettleError, codeForApp, toErrorPayload, type ErrorCode } from '@settle/contracts';

/** HTTP form of an error. */
export interface ErrorAnswer {
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

/** Fastify's own errors with their codes of the catalogue. */
const FRAMEWORK_ERRORS: Readonly<Record<string, readonly [ErrorCode, string]>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: ['payload_too_large', 'The body is too large: send at most 64 KiB.'],
  FST_ERR_CTP_INVALID_MEDIA_TYPE: [
    'unsupported_media_type',
    'Send the body as application/x-www-form-urlencoded or application/json.',
  ],
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: ['invalid_request', 'The body is not as long as Content-Length says.'],
  FST_ERR_BAD_URL: ['invalid_request', 'The URL holds a broken percent escape: encode it again.'],
  FST_ERR_MAX_PARAM_LENGTH: ['uri_too_long', 'A part of the path is too long.'],
};

/** Returns the error of the catalogue that an error stands for; null for an unexpected error. */
export function refusalIn(error: unknown): SettleError | null {
  if (error instanceof SettleError) return error;
  if (!(error instanceof Error)) return null;
  const known = 'code' in error && typeof error.code === 'string' ? FRAMEWORK_ERRORS[error.code] : undefined;
  if (known !== undefined) return new SettleError(...known);
  const status = 'statusCode' in error ? Number(error.statusCode) : 500;
  const isOfCaller = status >= 400 && status < 500;
  return isOfCaller ? new SettleError('invalid_request', 'The request cannot be read: check how it is encoded.') : null;
}

/**
 * Returns the response to an error. An unexpected error is reported without details.
 * @param takesLegacyAnswers whether the app is known to; the error's details may say so as well
 */
export function errorAnswer(error: unknown, takesLegacyAnswers = false): ErrorAnswer {
  const refusal = refusalIn(error) ?? internalError(error);
  const { message, status } = refusal;
  const code = codeForApp(refusal, takesLegacyAnswers);
  return { status, headers: headersOf(refusal), body: { error: { message, code } } };
}

function internalError(error: unknown): SettleError {
  const { code, message } = toErrorPayload(error);
  return new SettleError(code, message);
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
