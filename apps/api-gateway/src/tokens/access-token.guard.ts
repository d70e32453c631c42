import { Injectable, SetMetadata, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { AuthGuard } from '@nestjs/passport';
import { SettleError, type Scope } from '@settle/contracts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { RateLimits } from '../limits/rate-limits.js';
import {
  NO_PARAMETERS,
  joinParameters,
  queryParameters,
  type RequestParameters,
} from '../requests/request-parameters.js';
import { findAccessToken, hashToken } from './access-token.js';
import { ACCESS_TOKEN_STRATEGY } from './access-token.strategy.js';
import { TokenGrants } from './token-grants.js';

const SCOPES_KEY = 'settle:any-of-scopes';

/** A call that needs any one of these scopes. */
export const AnyScope = (...scopes: Scope[]): MethodDecorator => SetMetadata(SCOPES_KEY, scopes);

/** Reads the parameters (syntax 400 comes before token 401), then lets in whoever has a living token. */
@Injectable()
export class AccessTokenGuard extends AuthGuard(ACCESS_TOKEN_STRATEGY) {
  constructor(
    private readonly grants: TokenGrants,
    private readonly rateLimits: RateLimits,
  ) {
    super();
  }

  override canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const http = context.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    const body = (request.body ?? NO_PARAMETERS) as RequestParameters;
    request.parameters = joinParameters(queryParameters(request.raw.url ?? ''), body);
    // Passport is for tokens that must be asked for: what it hangs on each request costs a fifth of a payment here.
    const tokenSha256 = hashToken(findAccessToken(request.parameters, request.headers.authorization));
    const kept = this.grants.kept(tokenSha256);
    if (kept === undefined) return this.#askFor(tokenSha256, context);
    this.rateLimits.countForToken(tokenSha256, http.getResponse<FastifyReply>());
    request.user = kept;
    return true;
  }

  /** What is no token is not counted: its address is. */
  async #askFor(tokenSha256: string, context: ExecutionContext): Promise<boolean> {
    const isLetIn = (await super.canActivate(context)) as boolean;
    this.rateLimits.countForToken(tokenSha256, context.switchToHttp().getResponse<FastifyReply>());
    return isLetIn;
  }
}

/** Lets in whoever holds a token with one of the scopes that the call names. Runs after `AccessTokenGuard`. */
@Injectable()
export class ScopeGuard implements CanActivate {
  constructor(private readonly reflector: Reflector) {}

  canActivate(context: ExecutionContext): boolean {
    const { user } = context.switchToHttp().getRequest<FastifyRequest>();
    const anyOf = this.reflector.get<Scope[]>(SCOPES_KEY, context.getHandler());
    if (anyOf.some((scope) => user.scopes.includes(scope))) return true;
    const message = `The access token lacks a scope that this call needs: ${anyOf.join(' or ')}.`;
    throw new SettleError('insufficient_scope', message, { scope: anyOf.join(' ') });
  }
}
