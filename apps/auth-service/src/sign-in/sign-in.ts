import { SettleError } from '@settle/contracts';
import { SecurityLog } from '@settle/observability';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { FastifyRequest } from 'fastify';
import { Credential } from '../tables/credential.entity.js';
import { LoginAddress } from '../tables/login-address.entity.js';
import { KnownBrowsers } from './known-browsers.js';
import { readLogin, type Login } from './login.js';
import { Passwords } from './passwords.js';
import type { SignedIn } from './sessions.js';
import { SignInThrottle, type SignInPermit } from './sign-in-throttle.js';

/** What somebody typed, and the request that brought it. */
export interface TypedCredentials {
  readonly login: string;
  readonly password: string;
  readonly request: FastifyRequest;
}

/** Finds out whether somebody is who they say they are. */
@Injectable()
export class SignIn {
  constructor(
    private readonly dataSource: DataSource,
    private readonly passwords: Passwords,
    private readonly throttle: SignInThrottle,
    private readonly browsers: KnownBrowsers,
    private readonly security: SecurityLog,
  ) {}

  /**
   * The person whose password this is, or null: nothing tells a wrong password from an unknown person.
   * Error: `rate_limited` after many failed tries, or when too many people sign in at once.
   */
  async verify({ login: typed, password, request }: TypedCredentials): Promise<Credential | null> {
    const login = readLogin(typed);
    const credential = await this.#find(login);
    const knownBrowser = await this.browsers.of(request, credential?.userId ?? null);
    // Counted by the name as typed, and with more patience by the person: a wait that came as early for all names of an
    // account together would tell that they are one's.
    const userId = credential?.userId ?? null;
    const attempt = { account: login.value, userId, address: request.ip, knownBrowser };
    const permit = await this.throttle.begin(attempt);
    if (permit.waitMs > 0) {
      this.security.write('sign_in_throttled', { userId });
      throw tooManyTries(permit.waitMs);
    }
    const isRight = await this.#isRight(credential?.passwordHash ?? null, password, permit);
    if (!credential || !isRight) {
      this.security.write('sign_in_failed', { userId });
      return null;
    }
    await this.throttle.succeeded(permit);
    if (this.passwords.isOutdated(credential.passwordHash)) {
      return this.#hashAnew(credential, password);
    }
    return credential;
  }

  /** The same for somebody who is signed in and is asked for their password again: an open browser may be anybody's. */
  async verifyAgain(me: SignedIn, password: string, request: FastifyRequest): Promise<Credential | null> {
    const credential = await this.verify({ login: me.username, password, request });
    return credential?.userId === me.userId ? credential : null;
  }

  async #isRight(stored: string | null, password: string, permit: SignInPermit): Promise<boolean> {
    try {
      return await this.passwords.verify(stored, password, permit.attempt.knownBrowser === null);
    } catch (error) {
      // A full queue says nothing about the password.
      await this.throttle.withdrawn(permit);
      throw error;
    }
  }

  /** Null when the password has become another one meanwhile. */
  async #hashAnew({ userId, passwordHash: outdated }: Credential, password: string): Promise<Credential | null> {
    const credentials = this.dataSource.getRepository(Credential);
    const passwordHash = await this.passwords.hash(password);
    await credentials.update({ userId, passwordHash: outdated }, { passwordHash });
    return credentials.findOneBy({ userId, passwordHash });
  }

  async #find({ kind, value }: Login): Promise<Credential | null> {
    const credentials = this.dataSource.getRepository(Credential);
    if (kind === 'username') return credentials.findOneBy({ username: value });
    return credentials
      .createQueryBuilder('credential')
      .innerJoin(LoginAddress, 'address', 'address.user_id = credential.user_id')
      .where('address.kind = :kind and address.value = :value', { kind, value })
      .getOne();
  }
}

function tooManyTries(waitMs: number): SettleError {
  const retryAfterSeconds = Math.ceil(waitMs / 1_000);
  return new SettleError('rate_limited', `Too many failed tries. Wait ${retryAfterSeconds} s, then try again.`, {
    retryAfterSeconds,
  });
}
