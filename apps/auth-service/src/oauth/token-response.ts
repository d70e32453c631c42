import { isOpen, formatAmount, toUserResponse } from '@settle/contracts';
import type { ResourceOwner } from './resource-owner.js';
import type { IssuedTokens } from './token-grants.js';

/** Returns the response of the token endpoint (RFC 6749 5.1); balance: null if the app has no access to it. */
export function serializeTokens(
  { accessToken, refreshToken, scopes, lifeMs, isWhole }: IssuedTokens,
  owner: ResourceOwner,
): object {
  const showsBalance = owner.balanceCents !== null && isOpen('balance', scopes);
  return {
    access_token: accessToken,
    expires_in: Math.floor(lifeMs / 1_000),
    token_type: 'bearer',
    // RFC 6749 5.1: sent only if it differs from the requested scope. Some clients take another spelling for a change.
    ...(!isWhole && { scope: scopes.join(' ') }),
    refresh_token: refreshToken,
    user: toUserResponse(owner.profile, scopes),
    balance: showsBalance ? formatAmount(owner.balanceCents) : null,
  };
}
