import { Injectable } from '@nestjs/common';
import { PassportStrategy } from '@nestjs/passport';
import type { TokenGrant } from '@settle/contracts';
import type { FastifyRequest } from 'fastify';
import { Strategy } from 'passport';
import { TokenGrants } from '../tokens/token-grants.js';

/** Unique, because passport keeps one list of strategies for the whole process. */
export const ACCESS_TOKEN_STRATEGY = 'settle-access-token';

type Done = (error: unknown, grant?: TokenGrant | null) => void;
type Verify = (request: FastifyRequest, done: Done) => void;

/** Passport strategy for requests in which `AccessTokenGuard` has found a token. */
class TokenBearing extends Strategy {
  constructor(private readonly verify: Verify) {
    super();
  }

  override authenticate(request: unknown): void {
    this.verify(request as FastifyRequest, (error, grant) => (grant ? this.success(grant) : this.error(error)));
  }
}

/** Looks up a token's grant. Only the token's hash is passed on or stored. */
@Injectable()
export class AccessTokenStrategy extends PassportStrategy(TokenBearing, ACCESS_TOKEN_STRATEGY) {
  constructor(private readonly grants: TokenGrants) {
    super();
  }

  validate(request: FastifyRequest): TokenGrant | Promise<TokenGrant> {
    return this.grants.check(request.tokenSha256, request);
  }
}
