import { PeriodicTask, type RunOutcome } from '@settle/concurrency';
import { LIMITS } from '@settle/config';
import { getAccount, normalizeEmail, type Account } from '@settle/contracts';
import { MessageClient } from '@settle/messaging';
import { SecurityLog, type Logger } from '@settle/observability';
import { Inject, Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { CodeMessages } from '../verification/code-messages.js';
import { LOGGER } from '../injection/providers.js';
import { LoginAddress } from '../tables/login-address.entity.js';
import { requestForUser } from '../user-requests/user-requests.js';
import { assignLoginAddress, removeLoginAddress } from './login-addresses.js';

/** The order is random, so that a row that fails every time does not delay the others. */
const SELECT_MISSING = `
  select kind, value, user_id as "userId", proven_at_us::text as "provenAtUs" from login_addresses
  where spelling is null and kind = 'email' order by random() limit $1`;
const SET_SPELLING = `
  update login_addresses set spelling = $3 where kind = 'email' and value = $1 and user_id = $2 and spelling is null`;

type AddressWithoutSpelling = Omit<LoginAddress, 'spelling'>;

/**
 * Copies the spelling of e-mail addresses from users-service into rows that predate the `spelling` column. If
 * users-service has withdrawn an address because its code went to another mailbox, this removes the address here, too.
 * Ends when no row is left.
 */
@Injectable()
export class AddressSpellingBackfill implements OnApplicationBootstrap, OnModuleDestroy {
  readonly #task = new PeriodicTask({
    run: () => this.#backfillBatch(),
    everyMs: LIMITS.auth.spellingsRetryMs,
    onError: (err) => this.logger.warn({ err }, 'address spelling backfill failed; retrying'),
  });

  constructor(
    private readonly dataSource: DataSource,
    private readonly client: MessageClient,
    private readonly messages: CodeMessages,
    private readonly security: SecurityLog,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  onApplicationBootstrap(): void {
    this.#task.start();
  }

  onModuleDestroy(): Promise<void> {
    return this.#task.stop();
  }

  async #backfillBatch(): Promise<RunOutcome> {
    const rows = await this.dataSource.query<AddressWithoutSpelling[]>(SELECT_MISSING, [LIMITS.auth.spellingsCount]);
    if (rows.length === 0) return 'done';
    const results = await Promise.allSettled(rows.map((row) => this.#backfill(row)));
    const failed = results.find((result) => result.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
    return 'repeat';
  }

  async #backfill(row: AddressWithoutSpelling): Promise<void> {
    const account = await requestForUser(this.client, getAccount, { userId: row.userId });
    if (isWithdrawn(row.value, account)) return this.#withdraw(row, account);
    const { email } = account;
    const spelling = email !== null && normalizeEmail(email) === row.value ? email : row.value;
    await this.dataSource.query(SET_SPELLING, [row.value, row.userId, spelling]);
  }

  async #withdraw(row: AddressWithoutSpelling, account: Account): Promise<void> {
    const { kind, value, userId } = row;
    const isRemoved = await this.dataSource.transaction(async (manager) => {
      if ((await removeLoginAddress(manager, row)) === null) return false;
      const own = listEmails(account).find((email) => email.toLowerCase() === value);
      if (own !== undefined) await assignLoginAddress(manager, { ...row, value: own, spelling: own });
      const addresses = await manager.findBy(LoginAddress, { userId });
      await this.messages.notifyAddressChanged(manager, addresses, 'withdrawn', value);
      return true;
    });
    if (!isRemoved) return;
    this.security.write('address_lost', { userId, kind });
  }
}

/**
 * Whether users-service has withdrawn the address. Only addresses with a `k` are affected: it is the only ASCII letter
 * that is also the lowercase of another letter, U+212A (Kelvin sign).
 */
function isWithdrawn(value: string, account: Account): boolean {
  return value.includes('k') && !listEmails(account).includes(value);
}

function listEmails({ addresses }: Account): string[] {
  return addresses.filter(({ kind }) => kind === 'email').map(({ value }) => value);
}
