import { Inject, Injectable } from '@nestjs/common';
import type { Settings } from '@settle/config';
import type { FundingOutcome } from '@settle/contracts';
import { SecurityLog } from '@settle/observability';
import { DataSource } from 'typeorm';
import { SETTINGS } from '../injection/providers.js';
import { MessageQueue } from '../messages/message-queue.js';
import { LoginAddress } from '../tables/login-address.entity.js';
import { spellingOf } from '../verification/code-messages.js';

interface Notice {
  readonly subject: string;
  readonly sentence: string;
  /** There and true: the provider decided it, so that a new password would not help. */
  readonly isOfProvider?: true;
}

/** The subject and the first sentence of the e-mail about each change. */
const CHANGES = {
  funding_source_added: {
    subject: 'A card or bank account was added',
    sentence: 'A card or bank account was added to your account at Settle.',
  },
  funding_source_removed: {
    subject: 'A card or bank account was removed',
    sentence: 'A card or bank account was removed from your account at Settle.',
  },
  payout_source_changed: {
    subject: 'Withdrawals go to another card or bank account',
    sentence: 'Withdrawals from your balance at Settle now go to another card or bank account of your account.',
  },
  deposit_requested: {
    subject: 'A deposit was requested',
    sentence: 'A deposit to your balance at Settle was requested from your card or bank account.',
  },
  withdrawal_requested: {
    subject: 'A withdrawal was requested',
    sentence: 'A withdrawal from your balance at Settle was requested.',
  },
} as const;

const CONFIRMATION = {
  subject: 'Confirm a payment from your card or bank account',
  sentence:
    'Your bank asks you to confirm a payment or deposit from your card or bank account. Until then no money moves.',
};

const OUTCOMES: Readonly<Record<FundingOutcome, Notice>> = {
  approval_declined: {
    subject: 'A payment was not taken from your card or bank account',
    sentence:
      'A payment that you approved could not be taken from your card or bank account. No money moved, and the request ' +
      'is still pending.',
  },
  repayment_returned: {
    isOfProvider: true,
    subject: 'Money is back in your balance',
    sentence:
      'Money of a payment or deposit that did not take place could not be returned to your card or bank account. ' +
      'It is in your balance at Settle now.',
  },
  withdrawal_returned: {
    isOfProvider: true,
    subject: 'A withdrawal did not arrive',
    sentence: 'A withdrawal was not paid out, or came back. The money is in your balance at Settle again.',
  },
};

const INSERT_KEY = 'insert into funding_notices (key) values ($1) on conflict (key) do nothing returning key';

/** Notifies users of what concerns their money outside of Settle. */
@Injectable()
export class FundingNotices {
  constructor(
    private readonly dataSource: DataSource,
    private readonly queue: MessageQueue,
    private readonly security: SecurityLog,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  /** Sends an e-mail to every verified e-mail address of the user and writes to the security log, once for each id. */
  async notify(userId: string, change: keyof typeof CHANGES, id: string): Promise<void> {
    const isNew = await this.#send(userId, `${change} ${id}`, CHANGES[change]);
    if (isNew) this.security.write(change, { userId });
  }

  /**
   * Asks the user by e-mail, once for each charge, to confirm it on our page: the address of the provider's page is never
   * in an e-mail. Returns whether this call queued the e-mail.
   */
  requestConfirmation(userId: string, chargeKey: string): Promise<boolean> {
    return this.#send(userId, `confirmation ${chargeKey}`, CONFIRMATION);
  }

  /**
   * Notifies the user by e-mail, once for each outcome and id, of what became of money. Returns whether this call queued
   * the e-mail.
   */
  notifyOutcome(userId: string, outcome: FundingOutcome, id: string): Promise<boolean> {
    return this.#send(userId, `${outcome} ${id}`, OUTCOMES[outcome]);
  }

  #send(userId: string, key: string, { subject, sentence, isOfProvider }: Notice): Promise<boolean> {
    return this.dataSource.transaction(async (manager) => {
      const inserted = await manager.query<unknown[]>(INSERT_KEY, [`${userId} ${key}`]);
      if (inserted.length === 0) return false;
      const addresses = await manager.findBy(LoginAddress, { userId, kind: 'email' });
      const { publicUrl } = this.settings;
      const text = [
        sentence,
        `See the details: ${publicUrl}/account/funding`,
        ...(isOfProvider ? [] : [`If it was not you, choose a new password at once: ${publicUrl}/account/reset`]),
      ].join('\n');
      for (const address of addresses) {
        await this.queue.addNotice(manager, { kind: 'email', to: spellingOf(address), subject, text });
      }
      return true;
    });
  }
}
