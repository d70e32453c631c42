import { Injectable, createParamDecorator, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { ACCOUNT_HOME, parseReturnPath } from '../pages/return-path.js';
import { Sessions, type SignedIn } from './sessions.js';

type WithSignedIn = FastifyRequest & { signedIn?: SignedIn };

/** Nobody is signed in where somebody must be. `returnTo` is a path of ours. */
export class SignInFirst extends Error {
  constructor(readonly returnTo: string) {
    super('Sign in first.');
  }
}

/** Lets those through who are signed in; the others are led to the sign-in page, and back afterwards. */
@Injectable()
export class SignedInGuard implements CanActivate {
  constructor(private readonly sessions: Sessions) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<WithSignedIn>();
    const signedIn = await this.sessions.current(request);
    // What was sent by a form is lost, so its page is not where to go on.
    if (signedIn === null)
      throw new SignInFirst(request.method === 'GET' ? parseReturnPath(request.url) : ACCOUNT_HOME);
    request.signedIn = signedIn;
    return true;
  }
}

/** Whoever is signed in, on a route behind `SignedInGuard`. */
export const Me = createParamDecorator((_data: unknown, context: ExecutionContext) => {
  return context.switchToHttp().getRequest<WithSignedIn>().signedIn;
});
