import { extractQuery } from '../http/query-parameters.js';
import { matchesChallenge } from './pkce.js';
import type { CodeRequest } from './token-request.js';

/** The parameters that the authorization endpoint appends to the redirect URI. */
const APPENDED = /^(?:code|state|iss)=/;

/** A code as it is stored. */
export interface CodeState {
  readonly isUsed: boolean;
  /** Whether its authorization is revoked. */
  readonly isRevoked: boolean;
  readonly expiresAtMs: number;
  /** The redirect URI that received the code; null in codes of earlier versions whose request had none. */
  readonly redirectUri: string | null;
  /** The S256 challenge of RFC 7636; null if none was sent. */
  readonly challenge: string | null;
}

/** The parameters that an app sends with a code. */
type Redemption = Pick<CodeRequest, 'redirectUri' | 'verifier'> & { readonly nowMs: number };

/** The reason why a code is refused. */
export type CodeFault = 'used' | 'expired' | 'redirect_uri_mismatch' | 'verifier_mismatch';

/**
 * Returns the fault of a redemption (RFC 6749 4.1.3, RFC 7636 4.6), or null. The redirect URI may be absent, as older
 * clients omit it: the app's secret or its challenge binds the code. `used` takes precedence, to detect every replay.
 */
export function findRedemptionFault(code: CodeState, { redirectUri, verifier, nowMs }: Redemption): CodeFault | null {
  if (code.isUsed) return 'used';
  if (code.isRevoked || nowMs >= code.expiresAtMs) return 'expired';
  if (redirectUri !== null && !isSameRedirectUri(code.redirectUri, redirectUri)) return 'redirect_uri_mismatch';
  return matchesChallenge(verifier, code.challenge) ? null : 'verifier_mismatch';
}

/** Ignores the appended parameters: some clients send the whole URL on which the user came back. */
function isSameRedirectUri(redirectUri: string | null, sent: string): boolean {
  if (sent === redirectUri) return true;
  const [address = ''] = sent.split('?', 1);
  // A query may contain further question marks.
  const pairs = extractQuery(sent)
    .split('&')
    .filter((pair) => !APPENDED.test(pair));
  return (pairs.length === 0 ? address : `${address}?${pairs.join('&')}`) === redirectUri;
}
