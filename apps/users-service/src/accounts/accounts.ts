import { LIMITS } from '@settle/config';
import {
  SettleError,
  type Account,
  type ChangeAccount,
  type ChangeFundingSource,
  type CreateAccount,
  type VerifyAddress,
  type RemoveAddress,
} from '@settle/contracts';
import type { MessageClient } from '@settle/messaging';
import { databaseFailures, isServerUnavailable } from '@settle/postgres';
import type { DataSource, EntityManager } from 'typeorm';
import { toVerifiedAddress } from '../announcements/announcements.js';
import type { IdentityCheck } from './identity-check.js';
import { Users } from '../users/users.js';
import { ProvenAddressRow } from '../storage/proven-address.entity.js';
import { toCard } from '../announcements/records.js';
import { awaitPaymentsReplica, type RecordVersion } from '../users/await-payments-replica.js';
import { User } from '../storage/user.entity.js';

/** Changes that users make to their own accounts. Every command is idempotent: a repeat returns the same response. */
export class Accounts {
  constructor(
    private readonly dataSource: DataSource,
    private readonly publicUrl: string,
    private readonly identityCheck: IdentityCheck,
    private readonly client: MessageClient,
  ) {}

  /** Errors: `invalid_email`; `invalid_request` when the username is taken; `service_unavailable`. */
  create({ userId, username, firstName, lastName, email, provenAtUs }: CreateAccount): Promise<Account> {
    return this.#change(userId, async (people, manager) => {
      // If two arrive at once, one finds the rows of the other.
      await manager.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [`account:${userId}`]);
      if (await manager.existsBy(User, { id: userId })) return;
      const person = { id: userId, username, firstName, lastName, email, phone: null, joinedAtUs: provenAtUs };
      await people.createUser(person);
      await people.verifyAddress({ userId, kind: 'email', address: email, provenAtUs });
    });
  }

  /** Errors: `resource_not_found`, `service_unavailable`. */
  read(userId: string): Promise<Account> {
    return this.#change(userId, () => Promise.resolve());
  }

  /** Errors: `resource_not_found`, `service_unavailable`. */
  change({ userId, firstName, lastName, about, defaultAudience }: ChangeAccount): Promise<Account> {
    const displayName = `${firstName} ${lastName}`;
    return this.#change(userId, (people) =>
      people.changeUser(userId, { firstName, lastName, displayName, about, defaultAudience }),
    );
  }

  /** Errors: `resource_not_found`, `invalid_email`, `invalid_phone`; `not_permitted` when there are too many. */
  verifyAddress(proof: VerifyAddress): Promise<Account> {
    const { userId } = proof;
    return this.#change(userId, async (people, manager) => {
      await people.verifyAddress(proof);
      const proven = await manager.findBy(ProvenAddressRow, { userId });
      if (proven.length > LIMITS.users.addressesPerPerson) {
        throw new SettleError('not_permitted', 'You have as many addresses as one can. Remove one first.');
      }
      if (this.identityCheck(proven)) await people.changeUser(userId, { verified: true });
    });
  }

  /** Errors: `resource_not_found`; `not_permitted` for the last e-mail address: the password is reset through it. */
  removeAddress({ userId, kind, value }: RemoveAddress): Promise<Account> {
    return this.#change(userId, async (people, manager) => {
      await people.removeAddress({ userId, kind, value });
      if (kind === 'email' && !(await manager.existsBy(ProvenAddressRow, { userId, kind }))) {
        throw new SettleError('not_permitted', 'This is your only e-mail address. Add another one first.');
      }
    });
  }

  /** Errors: `resource_not_found`, `service_unavailable`; `outcome_unknown`: see `awaitPaymentsReplica`. */
  async changeFundingSource({ userId, source }: ChangeFundingSource): Promise<Account> {
    const change = { fundingSourceId: source?.id ?? null, fundingSourceLastFour: source?.lastFour ?? null };
    let version: RecordVersion | null = null;
    const account = await this.#change(userId, async (people) => {
      version = await people.changeUser(userId, change);
    });
    if (version !== null) await awaitPaymentsReplica(this.client, version);
    return account;
  }

  /** Returns the account after the change; if the change fails, nothing is written. */
  async #change(userId: string, change: (people: Users, manager: EntityManager) => Promise<unknown>): Promise<Account> {
    try {
      return await this.dataSource.transaction(async (manager) => {
        await change(new Users(manager, this.publicUrl), manager);
        return await readAccount(manager, userId, this.publicUrl);
      });
    } catch (error) {
      if (!isServerUnavailable(error)) throw error;
      databaseFailures.record(error);
      throw new SettleError('service_unavailable', 'The database cannot be reached. Send it again in a moment.');
    }
  }
}

async function readAccount(manager: EntityManager, userId: string, publicUrl: string): Promise<Account> {
  const user = await manager.findOneBy(User, { id: userId });
  if (!user) throw new SettleError('resource_not_found', 'There is no user with this id.');
  const addresses = await manager.find(ProvenAddressRow, {
    where: { userId },
    order: { kind: 'ASC', provenAtUs: 'ASC' },
  });
  const { defaultAudience, verified: isVerified, isBusiness, legacyAccess: hasLegacyAccess, email, phone } = user;
  return {
    card: toCard(user, publicUrl),
    defaultAudience,
    isVerified,
    isBusiness,
    hasLegacyAccess,
    email,
    phone,
    addresses: addresses.map(toVerifiedAddress),
    fundingSource: user.fundingSourceId === null ? null : { lastFour: user.fundingSourceLastFour },
  };
}
