import { Injectable } from '@nestjs/common';
import { PassportStrategy } from '@nestjs/passport';
import type { TokenGrant } from '@settle/contracts';
import type { FastifyRequest } from 'fastify';
import { Strategy } from 'passport';
import { findAccessToken, hashToken } from '../tokens/access-token.js';
import { TokenGrants, type CheckedRequest } from '../tokens/token-grants.js';

/** Unique, because passport keeps one list of strategies for the whole process. */
export const ACCESS_TOKEN_STRATEGY = 'settle-access-token';

type Done = (error: unknown, grant?: TokenGrant | null) => void;
type Verify = (token: string, request: CheckedRequest, done: Done) => void;

/** Passport strategy that finds the token in the request and passes it on. */
class TokenBearing extends Strategy {
  constructor(private readonly verify: Verify) {
    super();
  }

  override authenticate(raw: unknown): void {
    const request = raw as FastifyRequest;
    const token = findAccessToken(request.parameters, request.headers.authorization);
    this.verify(token, request, (error, grant) => (grant ? this.success(grant) : this.error(error)));
  }
}

/** Looks up a token's grant. Only the token's hash is passed on or stored. */
@Injectable()
export class AccessTokenStrategy extends PassportStrategy(TokenBearing, ACCESS_TOKEN_STRATEGY) {
  constructor(private readonly grants: TokenGrants) {
    super();
  }

  validate(token: string, request: CheckedRequest): TokenGrant | Promise<TokenGrant> {
    return this.grants.check(hashToken(token), request);
  }
}
