import { Injectable } from '@nestjs/common';
import { LIMITS } from '@settle/config';
import { SettleError, getAccount, type Scope } from '@settle/contracts';
import { MessageClient } from '@settle/messaging';
import { SecurityLog } from '@settle/observability';
import { DataSource, IsNull } from 'typeorm';
import { askFor } from '../account/ask-for.js';
import { Authorizations } from '../oauth/authorizations.js';
import { randomSecret, sha256 } from '../secrets.js';
import { App } from '../tables/app.entity.js';
import { Tokens } from '../tokens/tokens.js';
import type { AppDetails } from './app-details.js';
import { newClientId } from './client-ids.js';

/** What a developer may set of an app. */
export interface AppSettings extends AppDetails {
  readonly buildsAddresses: boolean;
  readonly takesTokens: boolean;
  readonly requiresPkce: boolean;
  readonly legacyAnswers: boolean;
}

const ROTATE_SECRET = `
  update apps set former_secret_sha256 = secret_sha256, former_secret_made_at = secret_made_at,
                  secret_sha256 = $3, secret_made_at = now()
  where owner_id = $1 and client_id = $2 and deleted_at is null`;
const NO_SECRETS = { secretSha256: null, secretMadeAt: null, formerSecretSha256: null, formerSecretMadeAt: null };

const CLIENT_ID = /^[\w-]{1,64}$/;
const MOST_APPS = 50;
/** What the curl lines of its page need. */
const TRIAL_SCOPES: readonly Scope[] = ['make_payments', 'access_profile', 'access_balance'];

/** The apps of a developer. Whoever asks for another's is told that there is none. */
@Injectable()
export class OwnApps {
  constructor(
    private readonly dataSource: DataSource,
    private readonly client: MessageClient,
    private readonly authorizations: Authorizations,
    private readonly tokens: Tokens,
    private readonly security: SecurityLog,
  ) {}

  /** Why this person may not register apps, in words for them; null when they may. Error: `service_unavailable`. */
  async bar(userId: string): Promise<string | null> {
    const account = await askFor(this.client, getAccount, { userId });
    if (!account.isVerified) return 'Your identity is not verified yet. Apps can be registered after that.';
    const isShutOut = account.isBusiness && !account.hasLegacyAccess;
    return isShutOut ? 'The interface is closed to businesses that had no access to it before.' : null;
  }

  of(ownerId: string): Promise<App[]> {
    return this.#table.find({ where: { ownerId, deletedAt: IsNull() }, order: { createdAt: 'asc' } });
  }

  /** Error: `resource_not_found`. */
  async one(ownerId: string, clientId: string): Promise<App> {
    const isId = CLIENT_ID.test(clientId);
    const app = isId && (await this.#table.findOneBy({ ownerId, clientId, deletedAt: IsNull() }));
    if (!app) throw new SettleError('resource_not_found', 'You have no such app.');
    return app;
  }

  /** Registers an app, without a secret at first, and answers its id. Error: `not_permitted`. */
  async register(ownerId: string, settings: AppSettings): Promise<string> {
    const bar = await this.bar(ownerId);
    if (bar !== null) throw new SettleError('not_permitted', bar);
    if ((await this.#table.countBy({ ownerId, deletedAt: IsNull() })) >= MOST_APPS) {
      throw new SettleError('not_permitted', `You have ${MOST_APPS} apps. Delete one before you register another.`);
    }
    const clientId = await this.#insert(ownerId, settings);
    this.security.write('app_registered', { userId: ownerId, appId: clientId });
    return clientId;
  }

  /** Error: `resource_not_found`. */
  async change(ownerId: string, clientId: string, settings: AppSettings): Promise<void> {
    await this.one(ownerId, clientId);
    await this.#table.update({ ownerId, clientId, deletedAt: IsNull() }, settings);
    this.security.write('app_changed', { userId: ownerId, appId: clientId });
  }

  /**
   * Returns a new secret, which nobody can read afterwards. The one before goes on working until `endFormerSecret`, so that
   * an app's servers change one after the other; an older one ends. Error: `resource_not_found`.
   */
  async newSecret(ownerId: string, clientId: string): Promise<string> {
    await this.one(ownerId, clientId);
    const secret = randomSecret();
    await this.dataSource.query(ROTATE_SECRET, [ownerId, clientId, sha256(secret)]);
    this.security.write('app_secret_rotated', { userId: ownerId, appId: clientId });
    return secret;
  }

  /** Ends the secret before the newest, at once. Does nothing where there is none. Error: `resource_not_found`. */
  async endFormerSecret(ownerId: string, clientId: string): Promise<void> {
    const { formerSecretSha256 } = await this.one(ownerId, clientId);
    if (formerSecretSha256 === null) return;
    // Not one that became the former only after the page was shown.
    await this.#table.update(
      { ownerId, clientId, formerSecretSha256 },
      { formerSecretSha256: null, formerSecretMadeAt: null },
    );
    this.security.write('app_secret_ended', { userId: ownerId, appId: clientId });
  }

  /** Gives the app up, and ends all that it holds. Errors: `resource_not_found`, `outcome_unknown`. */
  async delete(ownerId: string, clientId: string): Promise<void> {
    await this.one(ownerId, clientId);
    await this.#table.update({ ownerId, clientId }, { deletedAt: new Date(), ...NO_SECRETS });
    this.security.write('app_deleted', { userId: ownerId, appId: clientId });
    await this.authorizations.revoke({ appId: clientId });
  }

  /** A token of the app for its own developer, to try it with in the sandbox alone. Errors: `resource_not_found`, `not_permitted`. */
  async trialToken(ownerId: string, clientId: string): Promise<string> {
    const { redirectUrls } = await this.one(ownerId, clientId);
    if (redirectUrls.length === 0) {
      throw new SettleError('not_permitted', 'The app has no redirect address on file, so nobody can let it in.');
    }
    const lifeMs = LIMITS.auth.clientTokenMs;
    const granted = { appId: clientId, userId: ownerId, scopes: TRIAL_SCOPES, lifeMs };
    const environment = 'sandbox';
    const issued = await this.dataSource.transaction(async (manager) => {
      const authorizationId = await this.authorizations.begin(manager, granted);
      return { authorizationId, token: await this.tokens.issue(manager, { authorizationId, ...granted, environment }) };
    });
    const { authorizationId } = issued;
    this.security.write('tokens_issued', { userId: ownerId, appId: clientId, authorizationId, kind: 'trial' });
    return issued.token;
  }

  /** Draws again where an app has the id, also one that was given up: what was meant for it must not reach another. */
  async #insert(ownerId: string, settings: AppSettings): Promise<string> {
    for (;;) {
      const clientId = newClientId();
      const values = { clientId, ownerId, ...NO_SECRETS, ...settings };
      const { raw } = await this.#table
        .createQueryBuilder()
        .insert()
        .values(values)
        .orIgnore()
        .returning('client_id')
        .execute();
      if ((raw as object[]).length > 0) return clientId;
    }
  }

  get #table() {
    return this.dataSource.getRepository(App);
  }
}
