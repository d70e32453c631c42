import { isOpen, printCents, printUser } from '@settle/contracts';
import type { Owner } from './owners.js';
import type { IssuedTokens } from './token-pairs.js';

/** The answer of the token endpoint (RFC 6749 5.1), with the user and their balance, null when the app may not see it. */
export function printTokens(
  { accessToken, refreshToken, scopes, lifeMs, isWhole }: IssuedTokens,
  owner: Owner,
): object {
  const showsBalance = owner.balanceCents !== null && isOpen('balance', scopes);
  return {
    access_token: accessToken,
    expires_in: Math.floor(lifeMs / 1_000),
    token_type: 'bearer',
    // RFC 6749 5.1: told when it is not what was asked for. Some clients take any other spelling of it for a change.
    ...(!isWhole && { scope: scopes.join(' ') }),
    refresh_token: refreshToken,
    user: printUser(owner.profile, scopes),
    balance: showsBalance ? printCents(owner.balanceCents) : null,
  };
}
