import { Injectable, SetMetadata, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { AuthGuard } from '@nestjs/passport';
import { ACCESS, SettleError, isOpen, type AccessName } from '@settle/contracts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { environmentOf } from '../settings/environment.js';
import { Admission } from '../limits/admission.js';
import { findAccessToken, hashToken } from '../tokens/access-token.js';
import { ACCESS_TOKEN_STRATEGY } from './access-token.strategy.js';
import { TokenGrants } from '../tokens/token-grants.js';

const ACCESS_KEY = 'settle:access';

/** Marks a call that needs a scope which opens this row of `ACCESS`. */
export const Opens = (name: AccessName): MethodDecorator => SetMetadata(ACCESS_KEY, name);

/**
 * Admits requests with a valid token. It finds the token in the parameters, so that their syntax errors (400) come before
 * those of the token (401).
 */
@Injectable()
export class AccessTokenGuard extends AuthGuard(ACCESS_TOKEN_STRATEGY) {
  constructor(
    private readonly grants: TokenGrants,
    private readonly admission: Admission,
  ) {
    super();
  }

  override canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const http = context.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    // Passport handles tokens that must be looked up: what it adds to each request costs a fifth of a payment here.
    request.tokenSha256 = hashToken(findAccessToken(request.parameters, request.headers.authorization));
    const kept = this.grants.kept(request.tokenSha256);
    if (kept === undefined) return this.#lookUp(request, context);
    request.user = kept;
    const admitted = this.admission.admitToken(request.tokenSha256, kept, http.getResponse<FastifyReply>());
    if (typeof admitted !== 'boolean') return admitted.then(() => worksHere(request));
    return worksHere(request);
  }

  /** A malformed token takes no slot and is not counted as a token; its address is counted. */
  async #lookUp(request: FastifyRequest, context: ExecutionContext): Promise<boolean> {
    await super.canActivate(context);
    const reply = context.switchToHttp().getResponse<FastifyReply>();
    await this.admission.admitToken(request.tokenSha256, request.user, reply);
    return worksHere(request);
  }
}

/** Returns true. Error: `invalid_token` if the token is valid in the other environment alone. */
function worksHere(request: FastifyRequest): true {
  const { environment } = request.user;
  if (environment === undefined || environment === environmentOf(request)) return true;
  throw new SettleError('invalid_token', `The access token works in the environment ${environment} alone.`);
}

/** Admits tokens with one of the scopes that the call names. Runs after `AccessTokenGuard`. */
@Injectable()
export class ScopeGuard implements CanActivate {
  constructor(private readonly reflector: Reflector) {}

  canActivate(context: ExecutionContext): boolean {
    const { user } = context.switchToHttp().getRequest<FastifyRequest>();
    const name = this.reflector.get<AccessName>(ACCESS_KEY, context.getHandler());
    if (isOpen(name, user.scopes)) return true;
    const { anyOf } = ACCESS[name];
    const message = `The access token lacks a scope that this call needs: ${anyOf.join(' or ')}.`;
    // RFC 6750 3: all that the attribute names is required, so it names one. The first opens the least.
    throw new SettleError('insufficient_scope', message, { scope: anyOf[0] });
  }
}
