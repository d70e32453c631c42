import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import passport, { Strategy } from 'passport';
import { TokenGrants } from '../tokens/token-grants.js';

/** Unique, because passport keeps one list of strategies for the whole process. */
export const ACCESS_TOKEN_STRATEGY = 'settle-access-token';

/**
 * Passport strategy for requests in which `AccessTokenGuard` has found a token: looks up its grant. Only the token's hash
 * is passed on or stored.
 */
@Injectable()
export class AccessTokenStrategy extends Strategy {
  constructor(private readonly grants: TokenGrants) {
    super();
    passport.use(ACCESS_TOKEN_STRATEGY, this);
  }

  override async authenticate(request: unknown): Promise<void> {
    const checked = request as FastifyRequest;
    try {
      this.success(await this.grants.check(checked.tokenSha256, checked));
    } catch (error) {
      this.error(error);
    }
  }
}
