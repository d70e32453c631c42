import { LIMITS, type Settings } from '@settle/config';
import { normalizeAddress, type AddressKind } from '@settle/contracts';
import { callerAtAddress } from '@settle/lifecycle';
import { SecurityLog } from '@settle/observability';
import { Inject, Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { MessageQueue } from '../messages/message-queue.js';
import { SETTINGS } from '../injection/providers.js';
import { AttemptThrottle, createThrottledError, type Backoff } from '../sign-in/attempt-throttle.js';
import type { LoginAddress } from '../tables/login-address.entity.js';
import { CodeQuotas } from './code-quotas.js';
import type { CodePurpose } from './verification-codes.js';

/** A few messages at once, then fewer and fewer. */
const RECIPIENT_PER_CALLER: Backoff = { freeAttempts: 3, firstWaitMs: 60_000, maxWaitMs: 900_000 };
/** For all callers together: no mailbox is flooded, and an attacker cannot block a user's codes for long. */
const RECIPIENT: Backoff = { freeAttempts: 10, firstWaitMs: 10_000, maxWaitMs: 60_000 };
/** A caller may request codes for several users, but text messages cost money. */
const CALLER: Backoff = { freeAttempts: 50, firstWaitMs: 10_000, maxWaitMs: 900_000 };

const LIFE = `${LIMITS.auth.codeMs / 60_000} minutes`;

/** The recipient of a message, and the caller who requested it. */
export interface Recipient {
  readonly kind: AddressKind;
  readonly to: string;
  readonly callerIp: string;
  /** The signed-in user; absent: none. */
  readonly userId?: string;
}

/** The address of an account. Messages go to its owner's spelling. */
export type ContactAddress = Pick<LoginAddress, 'kind' | 'value' | 'spelling'>;

/** The purpose of a code in the words of the message. */
const PURPOSE_TEXTS: Readonly<Record<CodePurpose, string>> = {
  'sign-up': 'create an account at Settle with this e-mail address',
  reset: 'choose a new password for your account at Settle',
  email: 'add this e-mail address to an account at Settle',
  phone: 'add this phone number to an account at Settle',
};

const ADDRESS_CHANGES = {
  added: 'was added to your account at Settle. You can now sign in with it',
  removed: 'was removed from your account at Settle. You can no longer sign in with it',
  withdrawn: 'no longer belongs to your account at Settle: the code for it was sent to a different address',
  lost: 'no longer belongs to your account at Settle: another user has verified it',
};

/** Sends codes and notices to users, and limits how often. */
@Injectable()
export class CodeMessages {
  constructor(
    private readonly queue: MessageQueue,
    private readonly throttles: AttemptThrottle,
    private readonly quotas: CodeQuotas,
    private readonly security: SecurityLog,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  /**
   * Counts a message before it is sent. Also called if none will be sent, so that the wait does not reveal who has an
   * account. Errors: `rate_limited`; `service_unavailable` if messages of this kind cannot be sent.
   */
  async throttle({ kind, to, callerIp, userId }: Recipient): Promise<void> {
    this.queue.assertCanAccept(kind);
    const [recipient, caller] = [normalizeAddress(kind, to), callerAtAddress(callerIp)];
    const throttledMs = await this.throttles.begin([
      { name: `message to ${recipient} from ${caller}`, backoff: RECIPIENT_PER_CALLER },
      { name: `message to ${recipient}`, backoff: RECIPIENT },
      { name: `message from ${caller}`, backoff: CALLER },
    ]);
    const waitMs = throttledMs > 0 ? throttledMs : await this.quotas.consume(kind, recipient, userId ?? null);
    if (waitMs === 0) return;
    this.security.write('codes_throttled', { kind });
    throw createThrottledError('Too many codes were requested', waitMs);
  }

  /** Counts a code for the account and returns whether it is within today's quota. */
  async consumeAccountQuota(userId: string): Promise<boolean> {
    if ((await this.quotas.consumeForAccount(userId)) === 0) return true;
    this.security.write('codes_throttled', { kind: 'reset' });
    return false;
  }

  /** Error: `service_unavailable` if messages of this kind cannot be sent. */
  sendCode({ kind, to }: Recipient, purpose: CodePurpose, code: string): void {
    const purposeText = PURPOSE_TEXTS[purpose];
    const text = [
      `${code} is your code to ${purposeText}. It is valid for ${LIFE}.`,
      'Do not share it: we never ask for it. If you did not request it, ignore this message.',
    ].join('\n');
    // Lock screens show subjects and mail servers log them, so only the text contains the code.
    this.queue.add({ kind, to, subject: `Your code to ${purposeText}`, text });
  }

  /** Tells the owner of an account that their address was used to sign up again. */
  sendHasAccount({ kind, to }: Recipient, username: string): void {
    const { publicUrl } = this.settings;
    const text = [
      `You or another person tried to sign up at Settle with this address. It already has an account: ${username}.`,
      `Sign in: ${publicUrl}/account/sign-in`,
      `Choose a new password: ${publicUrl}/account/reset`,
      'If it was not you, you can ignore this message.',
    ].join('\n');
    this.queue.add({ kind, to, subject: 'You already have an account at Settle', text });
  }

  /** Notifies the owner of an account that its password was changed, after the transaction is committed. */
  async notifyPasswordChanged(manager: EntityManager, address: ContactAddress): Promise<void> {
    const text = [
      'The password of your account at Settle was changed, and all other browsers were signed out.',
      `If it was not you, choose a new password at once: ${this.settings.publicUrl}/account/reset`,
    ].join('\n');
    const to = spellingOf(address);
    await this.queue.addNotice(manager, { kind: 'email', to, subject: 'Your password was changed', text });
  }

  /**
   * Notifies the owner of an account of a changed address, at every reachable address of `held`, after the transaction
   * is committed.
   */
  async notifyAddressChanged(
    manager: EntityManager,
    held: readonly ContactAddress[],
    change: keyof typeof ADDRESS_CHANGES,
    value: string,
  ): Promise<void> {
    const text = [
      `${value} ${ADDRESS_CHANGES[change]}.`,
      `If it was not you, choose a new password at once: ${this.settings.publicUrl}/account/reset`,
    ].join('\n');
    for (const address of held) {
      const to = spellingOf(address);
      await this.queue.addNotice(manager, { kind: address.kind, to, subject: 'The addresses of your account', text });
    }
  }
}

/** Returns the address for messages to its owner. */
export function spellingOf({ value, spelling }: ContactAddress): string {
  return spelling ?? value;
}
