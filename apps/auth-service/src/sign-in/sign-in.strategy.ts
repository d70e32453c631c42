import { Injectable } from '@nestjs/common';
import { AuthGuard, PassportStrategy } from '@nestjs/passport';
import type { FastifyRequest } from 'fastify';
import { Strategy } from 'passport-local';
import type { Credential } from '../tables/credential.entity.js';
import { SignIn } from './sign-in.js';

/** Passport knows one strategy a name in the whole process, so the name is this service's own. */
const NAME = 'settle-sign-in';

/** As `OwnForm` leaves it. */
type CheckedForm = FastifyRequest & { readonly body: { readonly username: string; readonly password: string } };

/** Passport's way into `SignIn`: takes `username` and `password` from the form. */
@Injectable()
export class SignInStrategy extends PassportStrategy(Strategy, NAME) {
  constructor(private readonly signIn: SignIn) {
    super({ passReqToCallback: true });
  }

  /** Reads the checked form alone: for an empty field Passport hands over what stands in the address instead. */
  validate(request: CheckedForm): Promise<Credential | null> {
    const { username, password } = request.body;
    if (username === '' || password === '') return Promise.resolve(null);
    return this.signIn.verify({ login: username, password, request });
  }
}

/** Sets `request.user` to whoever signed in, or to null: the page then asks again. */
@Injectable()
export class SignInGuard extends AuthGuard(NAME) {
  override handleRequest<User>(error: unknown, user: User | false): User {
    if (error) throw error;
    return (user || null) as User;
  }
}
