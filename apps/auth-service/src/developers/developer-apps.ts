import { Inject, Injectable } from '@nestjs/common';
import { LIMITS, type Settings } from '@settle/config';
import { SettleError, getAccount, type Scope } from '@settle/contracts';
import { MessageClient } from '@settle/messaging';
import { SecurityLog } from '@settle/observability';
import { DataSource, IsNull } from 'typeorm';
import { SETTINGS } from '../injection/providers.js';
import { requestForUser } from '../user-requests/user-requests.js';
import { Authorizations, beginAuthorization } from '../oauth/authorizations.js';
import { randomSecret, sha256 } from '../secrets/secrets.js';
import { App } from '../tables/app.entity.js';
import { issueAccessToken } from '../tokens/tokens.js';
import type { AppDetails } from './app-details.js';
import { generateClientId } from './client-ids.js';

/** The settings of an app that its developer can change. */
export type AppSettings = AppDetails & Pick<App, 'buildsAddresses' | 'takesTokens' | 'requiresPkce' | 'legacyAnswers'>;

const ROTATE_SECRET = `
  update apps set former_secret_sha256 = secret_sha256, former_secret_made_at = secret_made_at,
                  secret_sha256 = $3, secret_made_at = now()
  where owner_id = $1 and client_id = $2 and deleted_at is null
    and former_secret_sha256 is null and secret_sha256 is not distinct from $4
  returning client_id`;
/** The condition spares a secret that a concurrent rotation created. */
const END_NEWEST_SECRET = `
  update apps set secret_sha256 = former_secret_sha256, secret_made_at = former_secret_made_at,
                  former_secret_sha256 = null, former_secret_made_at = null
  where owner_id = $1 and client_id = $2 and secret_sha256 = $3 and former_secret_sha256 is not null`;
const NO_SECRETS = { secretSha256: null, secretMadeAt: null, formerSecretSha256: null, formerSecretMadeAt: null };

/** Returns a value that changes with each new secret and does not reveal it. */
export function computeSecretVersion({ secretSha256 }: Pick<App, 'secretSha256'>): string {
  return sha256(secretSha256?.toString('hex') ?? '').toString('base64url');
}

function createRotationError(isRepeated: boolean, { formerSecretSha256 }: App): SettleError {
  const cause = isRepeated
    ? 'This form was already sent, and the secret that it created cannot be shown again. No other secret was created.'
    : 'This app has two secrets already.';
  const remedy =
    formerSecretSha256 === null
      ? 'If you did not copy the secret, create a new one below.'
      : 'End one of them before you create another.';
  return new SettleError('invalid_request', `${cause} ${remedy}`);
}

const CLIENT_ID = /^[\w-]{1,64}$/;
const MAX_APPS = 50;
/** The scopes that the curl example of the app page needs. */
const SANDBOX_SCOPES: readonly Scope[] = ['make_payments', 'access_profile', 'access_balance'];

/** The apps of developers. The apps of other developers are reported as not found. */
@Injectable()
export class DeveloperApps {
  constructor(
    private readonly dataSource: DataSource,
    private readonly client: MessageClient,
    private readonly authorizations: Authorizations,
    private readonly security: SecurityLog,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  /** Returns why the user may not register apps, or null if they may. Throws `service_unavailable`. */
  async findRegistrationBlock(userId: string): Promise<string | null> {
    const account = await requestForUser(this.client, getAccount, { userId });
    if (!account.isVerified) {
      const remedy = this.settings.devTools
        ? 'It is verified once you verify both an e-mail address and a phone number on your profile.'
        : 'The operator of this server verifies it.';
      return `Your identity is not verified yet. ${remedy} After that, you can register apps.`;
    }
    const isExcluded = account.isBusiness && !account.hasLegacyAccess;
    return isExcluded ? 'The API is closed to businesses that had no access before.' : null;
  }

  list(ownerId: string): Promise<App[]> {
    return this.#table.find({ where: { ownerId, deletedAt: IsNull() }, order: { createdAt: 'asc' } });
  }

  /** Throws `resource_not_found`. */
  async load(ownerId: string, clientId: string): Promise<App> {
    const isId = CLIENT_ID.test(clientId);
    const app = isId && (await this.#table.findOneBy({ ownerId, clientId, deletedAt: IsNull() }));
    if (!app) throw new SettleError('resource_not_found', 'You have no such app.');
    return app;
  }

  /** Registers an app, which has no secret at first, and returns its client id. Throws `not_permitted`. */
  async register(ownerId: string, settings: AppSettings): Promise<string> {
    const block = await this.findRegistrationBlock(ownerId);
    if (block !== null) throw new SettleError('not_permitted', block);
    if ((await this.#table.countBy({ ownerId, deletedAt: IsNull() })) >= MAX_APPS) {
      throw new SettleError(
        'not_permitted',
        `You already have ${MAX_APPS} apps. Delete one before you register another.`,
      );
    }
    const clientId = await this.#insert(ownerId, settings);
    this.security.write('app_registered', { userId: ownerId, appId: clientId });
    return clientId;
  }

  /** Throws `resource_not_found`. */
  async change(ownerId: string, clientId: string, settings: AppSettings): Promise<void> {
    await this.load(ownerId, clientId);
    await this.#table.update({ ownerId, clientId, deletedAt: IsNull() }, settings);
    this.security.write('app_changed', { userId: ownerId, appId: clientId });
  }

  /**
   * Returns a new secret, which cannot be read again. The previous one works until `endFormerSecret`, so that the servers
   * of the app can switch one by one. Throws `resource_not_found`; `invalid_request` if the app has two secrets, or if
   * its secret is no longer the one of `shownVersion`: the same form was sent again. Undefined accepts any version.
   */
  async rotateSecret(ownerId: string, clientId: string, shownVersion: string | undefined): Promise<string> {
    const app = await this.load(ownerId, clientId);
    const isRepeated = shownVersion !== undefined && shownVersion !== computeSecretVersion(app);
    if (isRepeated || app.formerSecretSha256 !== null) throw createRotationError(isRepeated, app);
    const secret = randomSecret();
    const values = [ownerId, clientId, sha256(secret), app.secretSha256];
    const [updated] = await this.dataSource.query<[object[], number]>(ROTATE_SECRET, values);
    if (updated.length === 0) throw createRotationError(true, await this.load(ownerId, clientId));
    this.security.write('app_secret_rotated', { userId: ownerId, appId: clientId });
    return secret;
  }

  /** Ends the former secret right away. Does nothing if there is none. Throws `resource_not_found`. */
  async endFormerSecret(ownerId: string, clientId: string): Promise<void> {
    const { formerSecretSha256 } = await this.load(ownerId, clientId);
    if (formerSecretSha256 === null) return;
    // The condition spares a secret that became the former one in a concurrent rotation.
    await this.#table.update(
      { ownerId, clientId, formerSecretSha256 },
      { formerSecretSha256: null, formerSecretMadeAt: null },
    );
    this.security.write('app_secret_ended', { userId: ownerId, appId: clientId });
  }

  /**
   * Ends the newest secret right away, so that only the former one works. Does nothing if there is no former one. Throws
   * `resource_not_found`.
   */
  async endNewestSecret(ownerId: string, clientId: string): Promise<void> {
    const { secretSha256, formerSecretSha256 } = await this.load(ownerId, clientId);
    if (formerSecretSha256 === null) return;
    await this.dataSource.query(END_NEWEST_SECRET, [ownerId, clientId, secretSha256]);
    this.security.write('app_secret_ended', { userId: ownerId, appId: clientId });
  }

  /** Deletes the app and revokes its authorizations. Throws `resource_not_found` and `outcome_unknown`. */
  async delete(ownerId: string, clientId: string): Promise<void> {
    await this.load(ownerId, clientId);
    await this.#table.update({ ownerId, clientId }, { deletedAt: new Date(), ...NO_SECRETS });
    this.security.write('app_deleted', { userId: ownerId, appId: clientId });
    await this.authorizations.revoke({ appId: clientId });
  }

  /** Issues a sandbox token of the app to its developer. Throws `resource_not_found` and `not_permitted`. */
  async issueSandboxToken(ownerId: string, clientId: string): Promise<string> {
    const { redirectUrls } = await this.load(ownerId, clientId);
    if (redirectUrls.length === 0) {
      throw new SettleError('not_permitted', 'The app has no redirect URL, so users cannot authorize it.');
    }
    const grant = { appId: clientId, userId: ownerId, scopes: SANDBOX_SCOPES, lifeMs: LIMITS.auth.clientTokenMs };
    const issued = await this.dataSource.transaction(async (manager) => {
      const authorizationId = await beginAuthorization(manager, grant);
      const newToken = { ...grant, authorizationId, environment: 'sandbox' as const };
      return { authorizationId, token: await issueAccessToken(manager, newToken) };
    });
    const { authorizationId } = issued;
    this.security.write('tokens_issued', { userId: ownerId, appId: clientId, authorizationId, kind: 'trial' });
    return issued.token;
  }

  /** Retries while the random id is taken. Ids of deleted apps stay taken, so that no app receives data for another. */
  async #insert(ownerId: string, settings: AppSettings): Promise<string> {
    for (;;) {
      const clientId = generateClientId();
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
