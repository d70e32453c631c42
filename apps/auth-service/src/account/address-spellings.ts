import { setTimeout as pause } from 'node:timers/promises';
import { LIMITS } from '@settle/config';
import { getAccount, normaliseEmail, type Account } from '@settle/contracts';
import { MessageClient } from '@settle/messaging';
import { SecurityLog, type Logger } from '@settle/observability';
import { Inject, Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { CodeMessages } from '../verification/code-messages.js';
import { LOGGER } from '../providers.js';
import { LoginAddress } from '../tables/login-address.entity.js';
import { askFor } from './ask-for.js';
import { letSignIn, reachableAt, takeAway } from './login-addresses.js';

/** In any order: a row that is refused each time must not delay the others. */
const WITHOUT_SPELLING = `
  select kind, value, user_id as "userId", proven_at_us::text as "provenAtUs" from login_addresses
  where spelling is null and kind = 'email' order by random() limit $1`;
const SET_SPELLING = `
  update login_addresses set spelling = $3 where kind = 'email' and value = $1 and user_id = $2 and spelling is null`;

type WithoutSpelling = Omit<LoginAddress, 'spelling'>;

/**
 * Fills in the spelling of the e-mail addresses that were stored before spellings were, as users-service has it. An
 * address that users-service has withdrawn from its user, because the code for it went to another mailbox, is taken
 * from the user here too. Ends when no such address is left.
 */
@Injectable()
export class AddressSpellings implements OnApplicationBootstrap, OnModuleDestroy {
  readonly #stopping = new AbortController();
  #running: Promise<void> = Promise.resolve();

  constructor(
    private readonly dataSource: DataSource,
    private readonly client: MessageClient,
    private readonly messages: CodeMessages,
    private readonly security: SecurityLog,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  onApplicationBootstrap(): void {
    this.#running = this.#run();
  }

  async onModuleDestroy(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      try {
        const rows = await this.dataSource.query<WithoutSpelling[]>(WITHOUT_SPELLING, [LIMITS.auth.spellingsCount]);
        if (rows.length === 0) return;
        const results = await Promise.allSettled(rows.map((row) => this.#fillIn(row)));
        const failed = results.find((result) => result.status === 'rejected');
        if (failed === undefined) continue;
        throw failed.reason;
      } catch (err) {
        if (!signal.aborted) this.logger.warn({ err }, 'the spellings of addresses are not complete; retrying');
      }
      await pause(LIMITS.auth.spellingsRetryMs, undefined, { signal }).catch(() => undefined);
    }
  }

  async #fillIn(row: WithoutSpelling): Promise<void> {
    const account = await askFor(this.client, getAccount, { userId: row.userId });
    if (isWithdrawn(row.value, account)) return this.#withdraw(row, account);
    const { email } = account;
    const spelling = email !== null && normaliseEmail(email) === row.value ? email : row.value;
    await this.dataSource.query(SET_SPELLING, [row.value, row.userId, spelling]);
  }

  async #withdraw(row: WithoutSpelling, account: Account): Promise<void> {
    const { kind, value, userId } = row;
    const isTaken = await this.dataSource.transaction(async (manager) => {
      if ((await takeAway(manager, row)) === null) return false;
      const own = emailsOf(account).find((email) => email.toLowerCase() === value);
      if (own !== undefined) await letSignIn(manager, { ...row, value: own, spelling: own });
      const held = await manager.findBy(LoginAddress, { userId });
      await this.messages.notifyAddressChanged(manager, held.map(reachableAt), 'withdrawn', value);
      return true;
    });
    if (!isTaken) return;
    this.security.write('address_lost', { userId, kind });
  }
}

/** Only an address with a `k` may have been taken for another one: no other letter of ASCII is a lower case of U+212A. */
function isWithdrawn(value: string, account: Account): boolean {
  return value.includes('k') && !emailsOf(account).includes(value);
}

function emailsOf({ addresses }: Account): string[] {
  return addresses.filter(({ kind }) => kind === 'email').map(({ value }) => value);
}
