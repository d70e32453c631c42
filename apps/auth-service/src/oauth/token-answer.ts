import { LIMITS } from '@settle/config';
import { printCents, printUser } from '@settle/contracts';
import type { Owner } from './owners.js';
import type { IssuedTokens } from './token-pairs.js';

/** The answer of the token endpoint (RFC 6749 5.1), with the user and their balance, null when the app may not see it. */
export function printTokens({ accessToken, refreshToken, scopes }: IssuedTokens, owner: Owner): object {
  const showsBalance = owner.balanceCents !== null && scopes.includes('access_balance');
  return {
    access_token: accessToken,
    expires_in: LIMITS.auth.serverTokenMs / 1_000,
    token_type: 'bearer',
    scope: scopes.join(' '),
    refresh_token: refreshToken,
    user: printUser(owner.profile, scopes),
    balance: showsBalance ? printCents(owner.balanceCents) : null,
  };
}
