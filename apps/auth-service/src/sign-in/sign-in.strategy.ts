import { Injectable } from '@nestjs/common';
import { AuthGuard, PassportStrategy } from '@nestjs/passport';
import type { FastifyRequest } from 'fastify';
import { Strategy } from 'passport-local';
import type { Credential } from '../tables/credential.entity.js';
import type { Exchange } from './session-cookie.js';
import { SignIn } from './sign-in.js';

/** Passport registers one strategy per name and process, so the name must be unique to this service. */
const NAME = 'settle-sign-in';

/** A request whose form `CsrfGuard` has validated. */
type CheckedForm = FastifyRequest & { readonly body: { readonly username: string; readonly password: string } };

/** Verifies `username` and `password` of the form with `SignIn`. */
@Injectable()
export class SignInStrategy extends PassportStrategy(Strategy, NAME) {
  constructor(private readonly signIn: SignIn) {
    super({ passReqToCallback: true });
  }

  /** Reads only the validated form: for an empty field Passport passes the query parameter instead. */
  validate(request: CheckedForm): Promise<Credential | null> {
    const { username, password } = request.body;
    if (username === '' || password === '') return Promise.resolve(null);
    return this.signIn.verify({ login: username, password, request });
  }
}

/** A request that `SignInGuard` has checked; null: the credentials are wrong. */
export interface SignInExchange extends Exchange {
  readonly request: FastifyRequest & { readonly user: Credential | null };
}

/** Sets `request.user` to the signed-in user, or to null, for which the page shows the form again. */
@Injectable()
export class SignInGuard extends AuthGuard(NAME) {
  override handleRequest<User>(error: unknown, user: User | false): User {
    if (error) throw error;
    return (user || null) as User;
  }
}
