import { LIMITS, type Settings } from '@settle/config';
import {
  ChangeAccount,
  ChangeFundingSource,
  CreateAccount,
  GetAccount,
  RemoveAddress,
  SettleError,
  VerifyAddress,
  changeAccount,
  changeFundingSource,
  createAccount,
  getAccount,
  noSuchUser,
  removeAddress,
  verifyAddress,
  type Account,
  type UsersKnown,
} from '@settle/contracts';
import { MessageClient, OnRequest } from '@settle/messaging';
import { Controller, Inject } from '@nestjs/common';
import { DataSource, IsNull, type EntityManager } from 'typeorm';
import { toVerifiedAddress } from '../announcements/announcements.js';
import { toCard } from '../announcements/records.js';
import { SETTINGS } from '../injection/providers.js';
import { User } from '../storage/user.entity.js';
import { VerifiedAddressRow } from '../storage/verified-address.entity.js';
import { awaitPaymentsReplica } from '../users/await-payments-replica.js';
import { orUnavailable } from '../users/user-errors.js';
import { Users, lockName } from '../users/users.js';

/**
 * Handles auth-service's requests on behalf of the signed-in user. Every command is idempotent: a repeat returns the same
 * response. Error of each: `service_unavailable`.
 */
@Controller()
export class AccountsController {
  constructor(
    private readonly dataSource: DataSource,
    private readonly client: MessageClient,
    @Inject(SETTINGS) private readonly settings: Pick<Settings, 'publicUrl' | 'devTools'>,
  ) {}

  /** Errors: `invalid_email`; `invalid_request` when the username is taken. */
  @OnRequest(createAccount)
  create({ userId, username, firstName, lastName, email, provenAtUs }: CreateAccount): Promise<Account> {
    return this.#change(userId, async (users, manager) => {
      // If two arrive at once, one finds the rows of the other.
      await lockName(manager, `account:${userId}`);
      if (await manager.existsBy(User, { id: userId })) return;
      const user = { id: userId, username, firstName, lastName, email, phone: null, joinedAtUs: provenAtUs };
      await users.createUser(user);
      await users.verifyAddress({ userId, kind: 'email', address: email, provenAtUs });
    });
  }

  /** Error: `resource_not_found`. */
  @OnRequest(getAccount)
  read({ userId }: GetAccount): Promise<Account> {
    return this.#change(userId, () => Promise.resolve());
  }

  /** Error: `resource_not_found`. */
  @OnRequest(changeAccount)
  change({ userId, firstName, lastName, about, defaultAudience }: ChangeAccount): Promise<Account> {
    const displayName = `${firstName} ${lastName}`;
    return this.#change(userId, (users) =>
      users.changeUser(userId, { firstName, lastName, displayName, about, defaultAudience }),
    );
  }

  /** Errors: `resource_not_found`, `invalid_email`, `invalid_phone`; `not_permitted` when there are too many. */
  @OnRequest(verifyAddress)
  verifyAddress(verification: VerifyAddress): Promise<Account> {
    const { userId } = verification;
    return this.#change(userId, async (users, manager) => {
      await users.verifyAddress(verification);
      const verified = await manager.findBy(VerifiedAddressRow, { userId });
      if (verified.length > LIMITS.users.addressesPerUser) {
        throw new SettleError('not_permitted', 'You have as many addresses as one can. Remove one first.');
      }
      // Otherwise the operator identifies a user, by a command.
      const isIdentified = this.settings.devTools && new Set(verified.map(({ kind }) => kind)).size === 2;
      if (isIdentified) await users.changeUser(userId, { verified: true });
    });
  }

  /** Errors: `resource_not_found`; `not_permitted` for the last e-mail address: the password is reset through it. */
  @OnRequest(removeAddress)
  removeAddress({ userId, kind, value }: RemoveAddress): Promise<Account> {
    return this.#change(userId, async (users, manager) => {
      await users.removeAddress({ userId, kind, value });
      if (kind === 'email' && !(await manager.existsBy(VerifiedAddressRow, { userId, kind }))) {
        throw new SettleError('not_permitted', 'This is your only e-mail address. Add another one first.');
      }
    });
  }

  /** Errors: `resource_not_found`; `outcome_unknown`: see `awaitPaymentsReplica`. */
  @OnRequest(changeFundingSource)
  async changeFundingSource({ userId, source }: ChangeFundingSource): Promise<Account> {
    const change = { fundingSourceId: source?.id ?? null, fundingSourceLastFour: source?.lastFour ?? null };
    let version: UsersKnown | null = null;
    const account = await this.#change(userId, async (users) => {
      version = await users.changeUser(userId, change);
    });
    if (version !== null) await awaitPaymentsReplica(this.client, version);
    return account;
  }

  /** Returns the account after the change; if the change fails, nothing is written. */
  #change(userId: string, change: (users: Users, manager: EntityManager) => Promise<unknown>): Promise<Account> {
    const { publicUrl } = this.settings;
    return orUnavailable(() =>
      this.dataSource.transaction(async (manager) => {
        await change(new Users(manager, publicUrl), manager);
        return await readAccount(manager, userId, publicUrl);
      }),
    );
  }
}

async function readAccount(manager: EntityManager, userId: string, publicUrl: string): Promise<Account> {
  const user = await manager.findOneBy(User, { id: userId, closedAtUs: IsNull() });
  if (!user) throw noSuchUser();
  const addresses = await manager.find(VerifiedAddressRow, {
    where: { userId },
    order: { kind: 'ASC', provenAtUs: 'ASC' },
  });
  const { defaultAudience, verified: isVerified, isBusiness, legacyAccess: hasLegacyAccess, email, phone } = user;
  return {
    card: toCard(user, publicUrl),
    ...{ defaultAudience, isVerified, isBusiness, hasLegacyAccess, email, phone },
    addresses: addresses.map(toVerifiedAddress),
    fundingSource:
      user.fundingSourceId === null ? null : { id: user.fundingSourceId, lastFour: user.fundingSourceLastFour },
  };
}
