import { SettleError } from '@settle/contracts';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Credential } from '../tables/credential.entity.js';
import { readLogin } from './login.js';
import { Passwords } from './passwords.js';
import { SignInThrottle } from './sign-in-throttle.js';

/** What somebody typed, and the address they typed it from. */
export interface TypedCredentials {
  readonly login: string;
  readonly password: string;
  readonly address: string;
}

/** Finds out whether somebody is who they say they are. */
@Injectable()
export class SignIn {
  constructor(
    private readonly dataSource: DataSource,
    private readonly passwords: Passwords,
    private readonly throttle: SignInThrottle,
  ) {}

  /**
   * The person whose password this is, or null: nothing tells a wrong password from an unknown person.
   * Error: `rate_limited` after many failed tries, or when too many people sign in at once.
   */
  async verify(typed: TypedCredentials): Promise<Credential | null> {
    const login = readLogin(typed.login);
    const attempt = { account: login.value, address: typed.address };
    const waitMs = await this.throttle.begin(attempt);
    if (waitMs > 0) throw tooManyTries(waitMs);
    const credentials = this.dataSource.getRepository(Credential);
    const credential = await credentials.findOneBy({ [login.kind]: login.value });
    const isRight = await this.passwords.verify(credential?.passwordHash ?? null, typed.password);
    if (!credential || !isRight) return null;
    await this.throttle.succeeded(attempt);
    if (this.passwords.isOutdated(credential.passwordHash)) {
      const passwordHash = await this.passwords.hash(typed.password);
      await credentials.update({ userId: credential.userId }, { passwordHash });
    }
    return credential;
  }
}

function tooManyTries(waitMs: number): SettleError {
  const retryAfterSeconds = Math.ceil(waitMs / 1_000);
  return new SettleError('rate_limited', `Too many failed tries. Wait ${retryAfterSeconds} s, then try again.`, {
    retryAfterSeconds,
  });
}
