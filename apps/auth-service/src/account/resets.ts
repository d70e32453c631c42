import { normaliseEmail } from '@settle/contracts';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { ConnectedApps } from '../connected-apps/connected-apps.js';
import { CodeMessages } from '../verification/code-messages.js';
import { VerificationCodes, type CodeKey } from '../verification/verification-codes.js';
import { LoginAddress } from '../tables/login-address.entity.js';
import { reachableAt } from './login-addresses.js';
import { PasswordsOfPeople } from './passwords-of-people.js';

/** What became of a reset; a password that was refused can be typed anew with the same code. */
export type ResetOutcome =
  { readonly kind: 'done' | 'wrong-code' } | { readonly kind: 'bad-password'; readonly fault: string };

/**
 * New passwords for those who forgot theirs, by a code to an e-mail address: phone numbers change hands too easily.
 * Whether an address has an account is told to its mailbox alone.
 */
@Injectable()
export class Resets {
  constructor(
    private readonly dataSource: DataSource,
    private readonly codes: VerificationCodes,
    private readonly messages: CodeMessages,
    private readonly passwords: PasswordsOfPeople,
    private readonly connectedApps: ConnectedApps,
  ) {}

  /** Sends the code to the address as its owner spelled it. Errors: those of `CodeMessages.begin`. @param email as typed */
  async begin(email: string, { browserId, callerIp }: { browserId: string; callerIp: string }): Promise<void> {
    const recipient = { kind: 'email', to: email, callerIp } as const;
    await this.messages.throttle(recipient);
    const value = normaliseEmail(email);
    const owner = await this.dataSource.getRepository(LoginAddress).findOneBy({ kind: 'email', value });
    const code = await this.codes.issue(placeOf(browserId), owner?.userId ?? '', value);
    // Over the account's budget nothing is sent, and the page is the same: it must not show which addresses are one's.
    if (owner !== null && (await this.messages.consumeAccountQuota(owner.userId)))
      this.messages.sendCode({ ...recipient, to: reachableAt(owner).value }, 'reset', code);
  }

  /**
   * Makes the password the new one. Whoever got in before may have let apps in, so these are out. Errors:
   * `rate_limited` when too many are hashed; `outcome_unknown` when all is done, but apps are told late.
   */
  async complete(browserId: string, typedCode: string, password: string): Promise<ResetOutcome> {
    const proof = await this.codes.check(placeOf(browserId), typedCode);
    if (proof === null) return { kind: 'wrong-code' };
    // Not before the code was right: it would tell whose name belongs to an address.
    const fault = await this.passwords.fault(proof.subject, password);
    if (fault !== null) return { kind: 'bad-password', fault };
    const code = placeOf(browserId);
    if ((await this.passwords.change(proof.subject, password, { code })) === null) return { kind: 'wrong-code' };
    await this.connectedApps.disconnectAll(proof.subject);
    return { kind: 'done' };
  }
}

function placeOf(browserId: string): CodeKey {
  return { purpose: 'reset', browserId };
}
