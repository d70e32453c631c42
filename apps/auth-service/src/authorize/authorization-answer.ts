import type { AuthorizationRequest } from './authorization-request.js';
import { withParameters } from './query-parameters.js';

/** The app's address with the answer appended, the state as it came, and who answers (RFC 9207). */
export function answerWith(
  to: Pick<AuthorizationRequest, 'redirectUri' | 'state'>,
  answer: Readonly<Record<string, string>>,
  issuer: string,
): string {
  return withParameters(to.redirectUri, { ...answer, ...(to.state !== null && { state: to.state }), iss: issuer });
}
