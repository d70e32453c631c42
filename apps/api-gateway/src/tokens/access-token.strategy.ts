import { Injectable } from '@nestjs/common';
import { PassportStrategy } from '@nestjs/passport';
import type { TokenGrant } from '@settle/contracts';
import type { FastifyRequest } from 'fastify';
import { Strategy } from 'passport';
import { findAccessToken, hashToken } from './access-token.js';
import { TokenGrants } from './token-grants.js';

/** Distinct, since passport keeps one list of strategies for the whole process. */
export const ACCESS_TOKEN_STRATEGY = 'settle-access-token';

type Verify = (token: string, requestId: string, done: (error: unknown, grant?: TokenGrant | null) => void) => void;

/** Passport's part: takes the token from wherever it stands and hands it on. */
class TokenBearing extends Strategy {
  constructor(private readonly verify: Verify) {
    super();
  }

  override authenticate(request: unknown): void {
    const { parameters, headers, id } = request as FastifyRequest;
    const token = findAccessToken(parameters, headers.authorization);
    this.verify(token, id, (error, grant) => (grant ? this.success(grant) : this.error(error)));
  }
}

/** Finds out what a token stands for. Only its hash is passed on or kept. */
@Injectable()
export class AccessTokenStrategy extends PassportStrategy(TokenBearing, ACCESS_TOKEN_STRATEGY) {
  constructor(private readonly grants: TokenGrants) {
    super();
  }

  validate(token: string, requestId: string): TokenGrant | Promise<TokenGrant> {
    return this.grants.check(hashToken(token), requestId);
  }
}
