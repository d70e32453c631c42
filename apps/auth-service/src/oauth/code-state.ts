import { fitsChallenge } from './pkce.js';

/** A code as it is stored. */
export interface CodeState {
  readonly isUsed: boolean;
  /** Its authorization was revoked. */
  readonly isRevoked: boolean;
  readonly expiresAtMs: number;
  /** As the authorization request named it; null when it named none. */
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
 * What is wrong with redeeming a code so (RFC 6749 4.1.3, RFC 7636 4.6), or null when nothing is. `used` comes first:
 * a second try is told by that alone, whoever makes it and whatever comes with it.
 */
export function faultOfRedemption(code: CodeState, { redirectUri, verifier, nowMs }: Redemption): CodeFault | null {
  if (code.isUsed) return 'used';
  if (code.isRevoked || nowMs >= code.expiresAtMs) return 'over';
  if (redirectUri !== code.redirectUri) return 'other_address';
  return fitsChallenge(verifier, code.challenge) ? null : 'wrong_verifier';
}
