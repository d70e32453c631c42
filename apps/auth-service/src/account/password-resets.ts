import { normalizeEmail } from '@settle/contracts';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { ConnectedApps } from '../connected-apps/connected-apps.js';
import { CodeMessages, spellingOf } from '../verification/code-messages.js';
import { VerificationCodes, type CodeKey } from '../verification/verification-codes.js';
import type { Browser } from '../sign-in/exchange.js';
import { LoginAddress } from '../tables/login-address.entity.js';
import { UserPasswords } from './user-passwords.js';

/**
 * Resets forgotten passwords with a code that is sent to an e-mail address, never to a phone: phone numbers are
 * reassigned too easily. The response never reveals whether an address has an account.
 */
@Injectable()
export class PasswordResets {
  constructor(
    private readonly dataSource: DataSource,
    private readonly codes: VerificationCodes,
    private readonly messages: CodeMessages,
    private readonly passwords: UserPasswords,
    private readonly connectedApps: ConnectedApps,
  ) {}

  /** Sends a code to the address in its owner's spelling. Throws the errors of `CodeMessages.throttle`. @param email as submitted */
  async sendCode(email: string, { browserId, callerIp }: Browser): Promise<void> {
    const recipient = { kind: 'email', to: email, callerIp } as const;
    await this.messages.throttle(recipient);
    const value = normalizeEmail(email);
    const owner = await this.dataSource.getRepository(LoginAddress).findOneBy({ kind: 'email', value });
    const code = await this.codes.issue(toCodeKey(browserId), owner?.userId ?? '', value);
    // Over the account's quota no code is sent, and the page stays the same, so that it does not reveal who owns an address.
    if (owner !== null && (await this.messages.consumeAccountQuota(owner.userId)))
      this.messages.sendCode({ ...recipient, to: spellingOf(owner) }, 'reset', code);
  }

  /**
   * Sets the new password and disconnects all apps, because an intruder may have authorized some. Throws `rate_limited`
   * when too many passwords are being hashed, and `outcome_unknown` when the reset is stored but gateways have not
   * confirmed the revocations.
   * @returns the fault of the password, if the user must choose another one with the same code; null: the code is wrong
   */
  async complete(
    browserId: string,
    typedCode: string,
    password: string,
  ): Promise<{ readonly fault: string | null } | null> {
    const code = toCodeKey(browserId);
    const verified = await this.codes.check(code, typedCode);
    if (verified === null) return null;
    const { subject: userId } = verified;
    // Only after a correct code: the message could reveal the username that belongs to an address.
    const fault = await this.passwords.findFault(userId, password);
    if (fault !== null) return { fault };
    if ((await this.passwords.change(userId, password, { code })) === null) return null;
    await this.connectedApps.disconnectAll(userId);
    return { fault: null };
  }
}

function toCodeKey(browserId: string): CodeKey {
  return { purpose: 'reset', browserId };
}
