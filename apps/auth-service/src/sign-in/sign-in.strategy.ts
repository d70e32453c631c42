import { Injectable } from '@nestjs/common';
import { AuthGuard, PassportStrategy } from '@nestjs/passport';
import type { FastifyRequest } from 'fastify';
import { Strategy } from 'passport-local';
import type { Credential } from '../tables/credential.entity.js';
import { SignIn } from './sign-in.js';

/** Passport knows one strategy a name in the whole process, so the name is this service's own. */
const NAME = 'settle-sign-in';

/** Passport's way into `SignIn`: takes `username` and `password` from the form. */
@Injectable()
export class SignInStrategy extends PassportStrategy(Strategy, NAME) {
  constructor(private readonly signIn: SignIn) {
    super({ passReqToCallback: true });
  }

  validate(request: FastifyRequest, login: string, password: string): Promise<Credential | null> {
    return this.signIn.verify({ login, password, request });
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
