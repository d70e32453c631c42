import { SecurityLog } from '@settle/observability';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { FastifyRequest } from 'fastify';
import { Credential } from '../tables/credential.entity.js';
import { LoginAddress } from '../tables/login-address.entity.js';
import { createThrottledError } from './attempt-throttle.js';
import { TrustedDevices } from './trusted-devices.js';
import { parseLogin, type Login } from './login.js';
import { Passwords } from './passwords.js';
import type { SignedInUser } from './sessions.js';
import { SignInThrottle } from './sign-in-throttle.js';

/** Credentials as entered, and the request that carried them. */
export interface SubmittedCredentials {
  readonly login: string;
  readonly password: string;
  readonly request: FastifyRequest;
}

/** Verifies the credentials of users. */
@Injectable()
export class SignIn {
  constructor(
    private readonly dataSource: DataSource,
    private readonly passwords: Passwords,
    private readonly throttle: SignInThrottle,
    private readonly devices: TrustedDevices,
    private readonly security: SecurityLog,
  ) {}

  /**
   * Returns the user's credential, or null; a wrong password and an unknown user are indistinguishable.
   * Error: `rate_limited` after many failed attempts, or if too many users sign in at once.
   */
  async verify({ login: typed, password, request }: SubmittedCredentials): Promise<Credential | null> {
    const login = parseLogin(typed);
    const credential = await this.#find(login);
    const userId = credential?.userId ?? null;
    const trustedDevice = await this.devices.find(request, userId);
    // Throttled per login, and later per user: an equally early wait for all logins of a user would reveal that they
    // belong to the same account.
    const permit = await this.throttle.begin({ account: login.value, userId, address: request.ip, trustedDevice });
    if (permit.waitMs > 0) {
      this.security.write('sign_in_throttled', { userId });
      throw createThrottledError('Too many failed attempts', permit.waitMs);
    }
    const hash = credential?.passwordHash ?? null;
    const matches = await this.passwords.verify(hash, password, trustedDevice === null).catch(async (error) => {
      // The queue was full, so the password was not compared.
      await this.throttle.withdraw(permit);
      throw error;
    });
    if (!credential || !matches) {
      this.security.write('sign_in_failed', { userId });
      return null;
    }
    await this.throttle.recordSuccess(permit);
    return this.passwords.isOutdated(credential.passwordHash) ? this.#rehash(credential, password) : credential;
  }

  /** Verifies the password of the signed-in user again: another person may be using the open browser. */
  async reauthenticate(me: SignedInUser, password: string, request: FastifyRequest): Promise<Credential | null> {
    const credential = await this.verify({ login: me.username, password, request });
    return credential?.userId === me.userId ? credential : null;
  }

  /** Returns null if the password was changed in the meantime. */
  async #rehash({ userId, passwordHash: outdated }: Credential, password: string): Promise<Credential | null> {
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
