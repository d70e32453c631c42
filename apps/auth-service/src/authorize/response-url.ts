import type { ResponseTarget } from './authorization-request.js';
import { appendParameters } from '../http/query-parameters.js';

/** Returns the redirect URI with the response parameters, the unchanged state, and the issuer (RFC 9207). */
export function buildResponseUrl(
  { redirectUri, state }: ResponseTarget,
  parameters: Readonly<Record<string, string>>,
  issuer: string,
): string {
  return appendParameters(redirectUri, { ...parameters, ...(state !== null && { state }), iss: issuer });
}
