import { Injectable, createParamDecorator, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { ACCOUNT_HOME, parseReturnPath } from '../pages/return-path.js';
import { Sessions, type SignedInUser } from './sessions.js';

type SessionRequest = FastifyRequest & { signedInUser?: SignedInUser };

/** The route requires a signed-in user. `returnTo` is a local path. */
export class SignInRequired extends Error {
  constructor(readonly returnTo: string) {
    super('Sign in first.');
  }
}

/** Requires a signed-in user; redirects others to the sign-in page and back afterwards. */
@Injectable()
export class SessionGuard implements CanActivate {
  constructor(private readonly sessions: Sessions) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<SessionRequest>();
    const signedInUser = await this.sessions.current(request);
    // A form is not repeated after sign-in, so its path is not a useful return path.
    if (signedInUser === null)
      throw new SignInRequired(request.method === 'GET' ? parseReturnPath(request.url) : ACCOUNT_HOME);
    request.signedInUser = signedInUser;
    return true;
  }
}

/** Injects the signed-in user on a route behind `SessionGuard`. */
export const CurrentUser = createParamDecorator((_data: unknown, context: ExecutionContext) => {
  return context.switchToHttp().getRequest<SessionRequest>().signedInUser;
});
