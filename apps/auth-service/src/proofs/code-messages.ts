import { LIMITS, type Settings } from '@settle/config';
import { SettleError, normaliseAddress, type AddressKind } from '@settle/contracts';
import { callerAtAddress } from '@settle/lifecycle';
import { SecurityLog } from '@settle/observability';
import { Inject, Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { MessageQueue } from '../messages/message-queue.js';
import { SETTINGS } from '../providers.js';
import { Tries, type Patience } from '../sign-in/tries.js';
import { CodeBudgets } from './code-budgets.js';
import type { CodePurpose } from './codes.js';

/** A few at once for whoever waits for one, then fewer and fewer. */
const RECIPIENT_FROM_THERE: Patience = { freeTries: 3, firstWaitMs: 60_000, longestWaitMs: 900_000 };
/** From everywhere together: no mailbox is flooded, and nobody keeps another one's codes from being sent for long. */
const RECIPIENT: Patience = { freeTries: 10, firstWaitMs: 10_000, longestWaitMs: 60_000 };
/** Whoever asks may ask for several people, but text messages cost money. */
const ASKER: Patience = { freeTries: 50, firstWaitMs: 10_000, longestWaitMs: 900_000 };

const LIFE = `${LIMITS.auth.codeMs / 60_000} minutes`;

/** To whom something is sent, and from where that was asked for. */
export interface Recipient {
  readonly kind: AddressKind;
  readonly to: string;
  /** The caller's address. */
  readonly askedFrom: string;
  /** The user who is signed in; absent: none is. */
  readonly userId?: string;
}

/** Where somebody can be written to. */
export type Reachable = Pick<Recipient, 'kind'> & { readonly value: string };

/** What a code lets its reader do, in the words of the message. */
const AIMS: Readonly<Record<CodePurpose, string>> = {
  'sign-up': 'open an account at Settle with this e-mail address',
  reset: 'choose a new password for your account at Settle',
  email: 'add this e-mail address to an account at Settle',
  phone: 'add this phone number to an account at Settle',
};

const ADDRESS_CHANGES = {
  added: 'was added to your account at Settle: one can sign in with it now',
  removed: 'was removed from your account at Settle: one can no longer sign in with it',
  withdrawn: 'no longer belongs to your account at Settle: the code for it was sent to a different address',
  lost: 'no longer belongs to your account at Settle: somebody else has proven that it is theirs',
};

/** Writes to people, and not too often. */
@Injectable()
export class CodeMessages {
  constructor(
    private readonly queue: MessageQueue,
    private readonly tries: Tries,
    private readonly budgets: CodeBudgets,
    private readonly security: SecurityLog,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  /**
   * To be called before anything is sent, also where nothing will be, so that the wait tells nobody who has an account.
   * Errors: `rate_limited`; `service_unavailable` when such messages cannot leave.
   */
  async begin({ kind, to, askedFrom, userId }: Recipient): Promise<void> {
    this.queue.assertCanAccept(kind);
    const [recipient, asker] = [normaliseAddress(kind, to), callerAtAddress(askedFrom)];
    const throttledMs = await this.tries.begin([
      { name: `message to ${recipient} from ${asker}`, patience: RECIPIENT_FROM_THERE },
      { name: `message to ${recipient}`, patience: RECIPIENT },
      { name: `message from ${asker}`, patience: ASKER },
    ]);
    const waitMs = throttledMs > 0 ? throttledMs : await this.budgets.count(kind, recipient, userId ?? null);
    if (waitMs === 0) return;
    this.security.write('codes_throttled', { kind });
    const retryAfterSeconds = Math.ceil(waitMs / 1_000);
    throw new SettleError(
      'rate_limited',
      `Too many codes were asked for. Wait ${retryAfterSeconds} s, then try again.`,
      {
        retryAfterSeconds,
      },
    );
  }

  /** Whether the account may get one more code today. To be asked where the page must not show whose address it is. */
  async mayGetCode(userId: string): Promise<boolean> {
    if ((await this.budgets.countForAccount(userId)) === 0) return true;
    this.security.write('codes_throttled', { kind: 'reset' });
    return false;
  }

  /** Errors: `service_unavailable` when such messages cannot leave. */
  sendCode({ kind, to }: Recipient, purpose: CodePurpose, code: string): void {
    const aim = AIMS[purpose];
    const text = [
      `${code} is your code to ${aim}. It is valid for ${LIFE}.`,
      'Do not give it to anyone: we never ask for it. If you did not request it, ignore this message.',
    ].join('\n');
    // Lock screens show subjects, and mail servers log them: the code is in the text alone.
    this.queue.add({ kind, to, subject: `Your code to ${aim}`, text });
  }

  /** To whoever has an account already and is signing up anew, or somebody else with their address. */
  sendHasAccount({ kind, to }: Recipient, username: string): void {
    const { publicUrl } = this.settings;
    const text = [
      `Somebody, perhaps you, wants to sign up at Settle with this address. It has an account: ${username}.`,
      `Sign in: ${publicUrl}/account/sign-in`,
      `Choose a new password: ${publicUrl}/account/reset`,
      'If it was not you, there is nothing to do.',
    ].join('\n');
    this.queue.add({ kind, to, subject: 'You have an account at Settle', text });
  }

  /** Tells the owner of an account that its password is another one now, once the transaction is committed. */
  async tellPasswordChanged(manager: EntityManager, to: string): Promise<void> {
    const text = [
      'The password of your account at Settle was changed, and whoever was signed in elsewhere is signed out.',
      `If it was not you, choose a new one at once: ${this.settings.publicUrl}/account/reset`,
    ].join('\n');
    await this.queue.addNotice(manager, { kind: 'email', to, subject: 'Your password was changed', text });
  }

  /**
   * Tells the owner of an account that its addresses are others now, at all of `held` to which messages can leave, once
   * the transaction is committed.
   */
  async tellAddressChanged(
    manager: EntityManager,
    held: readonly Reachable[],
    change: keyof typeof ADDRESS_CHANGES,
    value: string,
  ): Promise<void> {
    const text = [
      `${value} ${ADDRESS_CHANGES[change]}.`,
      `If it was not you, choose a new password at once: ${this.settings.publicUrl}/account/reset`,
    ].join('\n');
    for (const { kind, value: to } of held) {
      await this.queue.addNotice(manager, { kind, to, subject: 'The addresses of your account', text });
    }
  }
}
