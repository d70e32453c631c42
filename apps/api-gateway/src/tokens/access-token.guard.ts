import { Injectable, SetMetadata, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { AuthGuard } from '@nestjs/passport';
import { SettleError, type Scope } from '@settle/contracts';
import type { FastifyRequest } from 'fastify';
import {
  joinParameters,
  queryParameters,
  NO_PARAMETERS,
  type RequestParameters,
} from '../requests/request-parameters.js';
import { ACCESS_TOKEN_STRATEGY } from './access-token.strategy.js';

const SCOPES_KEY = 'settle:any-of-scopes';

/** A call that needs any one of these scopes. */
export const AnyScope = (...scopes: Scope[]): MethodDecorator => SetMetadata(SCOPES_KEY, scopes);

/** Reads the parameters (syntax 400 comes before token 401), then lets in whoever has a living token. */
@Injectable()
export class AccessTokenGuard extends AuthGuard(ACCESS_TOKEN_STRATEGY) {
  override getRequest(context: ExecutionContext): FastifyRequest {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const body = (request.body ?? NO_PARAMETERS) as RequestParameters;
    request.parameters = joinParameters(queryParameters(request.raw.url ?? ''), body);
    return request;
  }
}

/** Lets in whose token has one of the scopes that the call names. Runs after `AccessTokenGuard`. */
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
