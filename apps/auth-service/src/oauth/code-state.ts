import { fitsChallenge } from './pkce.js';

/** What the authorization endpoint appends to the address of an app beside a code. */
const APPENDED = /^(?:code|state|iss)=/;

/** A code as it is stored. */
export interface CodeState {
  readonly isUsed: boolean;
  /** Its authorization was revoked. */
  readonly isRevoked: boolean;
  readonly expiresAtMs: number;
  /** The address that the code was sent to; null when that is not known. */
  readonly redirectUri: string | null;
  readonly challenge: string | null;
}

/** What an app shows together with a code; null: not sent. */
export interface Redemption {
  readonly redirectUri: string | null;
  readonly verifier: string | null;
  readonly nowMs: number;
}

/** Why a code gives no token. */
export type CodeFault = 'used' | 'over' | 'other_address' | 'wrong_verifier';

/**
 * What is wrong with redeeming a code so (RFC 6749 4.1.3, RFC 7636 4.6), or null when nothing is. The address may be
 * left out, as former clients do: the secret of the app or its challenge binds the code. `used` comes first:
 * a second try is told by that alone, whoever makes it and whatever comes with it.
 */
export function faultOfRedemption(code: CodeState, { redirectUri, verifier, nowMs }: Redemption): CodeFault | null {
  if (code.isUsed) return 'used';
  if (code.isRevoked || nowMs >= code.expiresAtMs) return 'over';
  if (redirectUri !== null && !isSentTo(code.redirectUri, redirectUri)) return 'other_address';
  return fitsChallenge(verifier, code.challenge) ? null : 'wrong_verifier';
}

/** Some clients show the whole address that the user came back on, so what was appended to it is cut off. */
function isSentTo(redirectUri: string | null, shown: string): boolean {
  if (shown === redirectUri) return true;
  const [address = '', query = ''] = shown.split('?', 2);
  const own = query.split('&').filter((pair) => !APPENDED.test(pair));
  return (own.length === 0 ? address : `${address}?${own.join('&')}`) === redirectUri;
}
