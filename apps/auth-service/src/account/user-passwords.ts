import { Injectable } from '@nestjs/common';
import { SecurityLog } from '@settle/observability';
import { DataSource } from 'typeorm';
import { CodeMessages } from '../verification/code-messages.js';
import { discardResetCodes, type CodeKey } from '../verification/verification-codes.js';
import { findPasswordFault } from '../sign-in/password-rules.js';
import { Passwords } from '../sign-in/passwords.js';
import { Sessions } from '../sign-in/sessions.js';
import { Credential } from '../tables/credential.entity.js';
import { LoginAddress } from '../tables/login-address.entity.js';

/** The authorization of a password change: the hash of the current password, or a verified reset code. */
export type PasswordChangePermit = { readonly passwordHash: string } | { readonly code: CodeKey };

@Injectable()
export class UserPasswords {
  constructor(
    private readonly dataSource: DataSource,
    private readonly passwords: Passwords,
    private readonly sessions: Sessions,
    private readonly messages: CodeMessages,
    private readonly security: SecurityLog,
  ) {}

  /** Returns the message for a password that the user may not choose, or null if the password is acceptable. */
  async findFault(userId: string, password: string): Promise<string | null> {
    const [credential, addresses] = await Promise.all([
      this.dataSource.getRepository(Credential).findOneBy({ userId }),
      this.dataSource.getRepository(LoginAddress).findBy({ userId }),
    ]);
    return findPasswordFault(password, [credential?.username ?? '', ...addresses.map(({ value }) => value)]);
  }

  /**
   * Changes the password, ends all sessions of the user, voids all reset codes, and notifies the user. Returns the hash
   * of the new password, or null without a change if the permit is no longer valid. Throws `rate_limited` when too many
   * passwords are being hashed.
   */
  async change(userId: string, password: string, permit: PasswordChangePermit): Promise<string | null> {
    const passwordHash = await this.passwords.hash(password);
    const isReset = 'code' in permit;
    const condition = isReset ? { userId } : { userId, passwordHash: permit.passwordHash };
    const isChanged = await this.dataSource.transaction(async (manager) => {
      // Comes first: if two correct codes are submitted at once, only one finds a code to discard.
      const hadCode = await discardResetCodes(manager, userId, isReset ? permit.code : undefined);
      if (isReset && !hadCode) return false;
      const change = isReset ? { passwordHash, passwordResetAt: new Date() } : { passwordHash };
      const { affected } = await manager.update(Credential, condition, change);
      if (affected !== 1) return false;
      await this.sessions.endAll(userId, manager);
      const newest = { where: { userId, kind: 'email' }, order: { provenAtUs: 'DESC' } } as const;
      const address = await manager.findOne(LoginAddress, newest);
      if (address !== null) await this.messages.notifyPasswordChanged(manager, address);
      return true;
    });
    if (!isChanged) return null;
    this.security.write(isReset ? 'password_reset' : 'password_changed', { userId });
    return passwordHash;
  }
}
