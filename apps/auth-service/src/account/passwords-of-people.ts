import { Injectable } from '@nestjs/common';
import { SecurityLog } from '@settle/observability';
import { DataSource, type EntityManager } from 'typeorm';
import { CodeMessages } from '../verification/code-messages.js';
import { discardResetCodes, type CodeKey } from '../verification/verification-codes.js';
import { findPasswordFault } from '../sign-in/password-rules.js';
import { Passwords } from '../sign-in/passwords.js';
import { Sessions } from '../sign-in/sessions.js';
import { Credential } from '../tables/credential.entity.js';
import { LoginAddress } from '../tables/login-address.entity.js';
import { reachableAt } from './login-addresses.js';

/** What a user has shown to choose a new password: the hash of the one before, or a code that was typed right. */
export type ShownProof = { readonly passwordHash: string } | { readonly code: CodeKey };

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
    return findPasswordFault(password, [credential?.username ?? '', ...addresses.map(({ value }) => value)]);
  }

  /**
   * Ends all sessions of the person, and tells them. Error: `rate_limited` when too many passwords are hashed.
   * All codes that reset the password are void afterwards.
   * @returns the hash of the new one; null, and nothing is done, when what was shown is no longer the person's
   */
  async change(userId: string, password: string, shown: ShownProof): Promise<string | null> {
    const passwordHash = await this.passwords.hash(password);
    const isReset = 'code' in shown;
    const which = isReset ? { userId } : { userId, passwordHash: shown.passwordHash };
    const isChanged = await this.dataSource.transaction(async (manager) => {
      // Comes first: of two codes that are typed right at once, one finds nothing left.
      const hadCode = await discardResetCodes(manager, userId, isReset ? shown.code : undefined);
      if (isReset && !hadCode) return false;
      const { affected } = await manager.update(Credential, which, { passwordHash });
      if (affected !== 1) return false;
      await this.sessions.endAll(userId, manager);
      await this.#tell(manager, userId);
      return true;
    });
    if (!isChanged) return null;
    this.security.write(isReset ? 'password_reset' : 'password_changed', { userId });
    return passwordHash;
  }

  async #tell(manager: EntityManager, userId: string): Promise<void> {
    const addresses = manager.getRepository(LoginAddress);
    const newest = await addresses.findOne({ where: { userId, kind: 'email' }, order: { provenAtUs: 'DESC' } });
    if (newest !== null) await this.messages.notifyPasswordChanged(manager, reachableAt(newest).value);
  }
}
