import { Injectable } from '@nestjs/common';
import { SecurityLog } from '@settle/observability';
import { DataSource } from 'typeorm';
import { CodeMessages } from '../proofs/code-messages.js';
import { passwordFault } from '../sign-in/password-rules.js';
import { Passwords } from '../sign-in/passwords.js';
import { Sessions } from '../sign-in/sessions.js';
import { Credential } from '../tables/credential.entity.js';
import { LoginAddress } from '../tables/login-address.entity.js';

/** Gives people new passwords. */
@Injectable()
export class PasswordsOfPeople {
  constructor(
    private readonly dataSource: DataSource,
    private readonly passwords: Passwords,
    private readonly sessions: Sessions,
    private readonly messages: CodeMessages,
    private readonly security: SecurityLog,
  ) {}

  /** What speaks against a password as this person's, in words for them; null: nothing. */
  async fault(userId: string, password: string): Promise<string | null> {
    const [credential, addresses] = await Promise.all([
      this.dataSource.getRepository(Credential).findOneBy({ userId }),
      this.dataSource.getRepository(LoginAddress).findBy({ userId }),
    ]);
    return passwordFault(password, [credential?.username ?? '', ...addresses.map(({ value }) => value)]);
  }

  /**
   * Ends all sessions of the person, and tells them. Error: `rate_limited` when too many passwords are hashed.
   * @param replaced the hash of the password that was shown, if one was
   * @returns the hash of the new one; null, and nothing is done, when the one that was shown is no longer the person's
   */
  async change(userId: string, password: string, replaced?: string): Promise<string | null> {
    const passwordHash = await this.passwords.hash(password);
    const which = replaced === undefined ? { userId } : { userId, passwordHash: replaced };
    const isChanged = await this.dataSource.transaction(async (manager) => {
      const { affected } = await manager.update(Credential, which, { passwordHash });
      if (affected !== 1) return false;
      await this.sessions.endAll(userId, manager);
      return true;
    });
    if (!isChanged) return null;
    this.security.write(replaced === undefined ? 'password_reset' : 'password_changed', { userId });
    await this.#tell(userId);
    return passwordHash;
  }

  async #tell(userId: string): Promise<void> {
    const addresses = this.dataSource.getRepository(LoginAddress);
    const newest = await addresses.findOne({ where: { userId, kind: 'email' }, order: { provenAtUs: 'DESC' } });
    if (newest !== null) this.messages.tellPasswordChanged(newest.value);
  }
}
