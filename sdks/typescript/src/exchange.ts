import type { Deadline } from './deadline.js';
import { ConnectionError, SettleError, UNEXPECTED_RESPONSE } from './errors.js';
import { AMOUNT_FIELDS } from './openapi.generated.js';
import type { ErrorBody } from './types.js';

export interface HttpRequest {
  readonly method: 'GET' | 'POST' | 'PUT';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** The product responds within 6 s, even if only that it does not know the outcome. */
const ATTEMPT_TIMEOUT_MS = 10_000;

/**
 * Sends a request once and returns the body of its response. Errors: `SettleError` for a response that is not successful,
 * `ConnectionError` if no response, or not all of it, arrives in time.
 */
export async function exchange(request: HttpRequest, deadline: Deadline): Promise<unknown> {
  const { response, text } = await receive(request, Math.min(ATTEMPT_TIMEOUT_MS, deadline.leftMs()));
  const body = parse(text);
  if (response.ok && body !== undefined) return body;
  if (response.ok) throw new ConnectionError('The response is not complete.');
  throw errorOf(response, body as Partial<ErrorBody> | undefined);
}

async function receive(
  { url, ...request }: HttpRequest,
  timeoutMs: number,
): Promise<{ response: Response; text: string }> {
  try {
    // A redirect would carry the token elsewhere and turn a POST into a GET.
    const response = await fetch(url, { ...request, redirect: 'error', signal: AbortSignal.timeout(timeoutMs) });
    return { response, text: await response.text() };
  } catch (cause) {
    throw new ConnectionError(`No response from ${new URL(url).origin}.`, { cause });
  }
}

/** Returns the JSON value with amounts as decimal strings of two places, or undefined if the text is not JSON. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text, (name, value: unknown) => {
      const isAmount = typeof value === 'number' && AMOUNT_FIELDS.has(name);
      // Exact for any amount below 70 million millions, because the number has at most two places.
      return isAmount ? value.toFixed(2) : value;
    });
  } catch {
    return undefined;
  }
}

function errorOf({ status, headers }: Response, body: Partial<ErrorBody> | undefined): SettleError {
  const retryAfterS = headers.get('retry-after');
  const { code = UNEXPECTED_RESPONSE, message = `Unexpected response with the status ${status}.` } = body?.error ?? {};
  return new SettleError(message, {
    code,
    status,
    requestId: headers.get('x-request-id'),
    retryAfterMs: retryAfterS !== null && /^\d+$/.test(retryAfterS) ? Number(retryAfterS) * 1000 : null,
  });
}
