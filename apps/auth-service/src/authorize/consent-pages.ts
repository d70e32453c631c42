import { Injectable } from '@nestjs/common';
import { LIMITS } from '@settle/config';
import { SettleError, getProfile } from '@settle/contracts';
import { MessageClient } from '@settle/messaging';
import { DataSource } from 'typeorm';
import { getSiteHost } from '../pages/visible-text.js';
import { describeScope } from '../oauth/scopes.js';
import { randomSecret, sha256 } from '../secrets/secrets.js';
import type { SignedInUser } from '../sign-in/sessions.js';
import { formatAmountPerDay } from '../spending-limits/amount-per-day.js';
import { AppSpendingLimits } from '../spending-limits/app-spending-limits.js';
import { Credential } from '../tables/credential.entity.js';
import { AuthorizationRequestReader } from './authorization-request-reader.js';
import type { AuthorizationRequest, ResponseType } from './authorization-request.js';
import { renderConsent } from './authorize.pages.js';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

const LIFETIMES: Readonly<Record<ResponseType, string>> = {
  token: `${LIMITS.auth.clientTokenMs / MINUTE_MS} minutes, then access ends`,
  code: `${LIMITS.auth.serverTokenMs / DAY_MS} days. The app can renew its access until you end it under Connected apps`,
};

/** The data that the app always receives: the token response to a code contains the user, see `serializeTokens`. */
const ALWAYS_SHARED: Readonly<Record<ResponseType, string | null>> = {
  token: null,
  code: 'your name, username, picture and bio, whatever you select',
};

const CONSENT_PAGE_LIFETIME_MS = 10 * 60_000;

/** Deletes the oldest requests of a session, so that one more stays within the limit per session. */
const DELETE_OLDEST = `
  delete from consent_requests where id_sha256 in (
    select id_sha256 from consent_requests where session_sha256 = $1
    order by expires_at desc offset ${LIMITS.auth.consentPagesPerSession - 1})`;

/** Stores the redirect URI and the name of the app as the page displays them. */
const INSERT = `
  insert into consent_requests (id_sha256, session_sha256, query, redirect_uri, app_name, expires_at)
  values ($1, $2, $3, $4, $5, $6)`;

/** The name of the app is null in requests that an earlier version stored. */
const LOAD = `
  select query, redirect_uri as "redirectUri", app_name as "appName" from consent_requests
  where id_sha256 = $1 and session_sha256 = $2 and expires_at > now()`;
const CONSUME = `
  with consumed as (
    delete from consent_requests where id_sha256 = $1 and session_sha256 = $2 and expires_at > now() returning *)
  select query, redirect_uri as "redirectUri", app_name as "appName" from consumed`;

/** The form of a consent page that was submitted without a decision. */
export interface ConsentDraft {
  readonly requestId: string;
  readonly scopes: readonly string[];
  /** Undefined if the form has no such field. */
  readonly amountPerDay: string | undefined;
}

/** The consent pages that wait for a decision. Each accepts one, in the session that it was shown in. */
@Injectable()
export class ConsentPages {
  constructor(
    private readonly dataSource: DataSource,
    private readonly requests: AuthorizationRequestReader,
    private readonly client: MessageClient,
    private readonly limits: AppSpendingLimits,
  ) {}

  /**
   * Returns the consent page as HTML. The user can decide on it once, in this session.
   * @param draft the submitted form if the user has not decided yet
   */
  async render(request: AuthorizationRequest, user: SignedInUser, draft?: ConsentDraft): Promise<string> {
    const { sessionId, userId, username, formToken } = user;
    const { app, query, redirectUri } = request;
    const canPay = request.scopes.includes('make_payments');
    const amountPerDay = async () => formatAmountPerDay(await this.limits.get({ userId, appId: app.clientId }));
    return renderConsent({
      ...{ query, redirectUri, username, formToken },
      notice: draft ? 'Nothing is decided yet. Select Allow or Deny.' : null,
      appName: app.name,
      siteHost: getSiteHost(app.siteUrl),
      developer: await this.#describeDeveloper(app.ownerId),
      requestId: draft?.requestId ?? (await this.#create(sessionId, request)),
      abilities: request.scopes.map((scope) => ({
        scope,
        description: describeScope(scope),
        isSelected: draft?.scopes.includes(scope) ?? true,
      })),
      alwaysShared: ALWAYS_SHARED[request.responseType],
      lifetime: LIFETIMES[request.responseType],
      redirectHost: new URL(redirectUri).host,
      amountPerDay: canPay ? (draft?.amountPerDay ?? (await amountPerDay())) : null,
    });
  }

  /**
   * Removes the request with this id, validates it again, and returns it. Throws `invalid_request` if the request belongs
   * to another session, was decided, or expired, or if the redirect URI or the name of the app has changed since; throws
   * `AuthorizationRequestError` if the request is no longer valid.
   */
  consume(sessionId: string, id: string): Promise<AuthorizationRequest> {
    return this.#read(CONSUME, sessionId, id);
  }

  /** Returns the request with this id, which the user can still decide about. Throws the errors of `consume`. */
  load(sessionId: string, id: string): Promise<AuthorizationRequest> {
    return this.#read(LOAD, sessionId, id);
  }

  async #read(sql: string, sessionId: string, id: string): Promise<AuthorizationRequest> {
    type Pending = Pick<AuthorizationRequest, 'query' | 'redirectUri'> & { readonly appName: string | null };
    const [pending] = await this.dataSource.query<Pending[]>(sql, [sha256(id), sha256(sessionId)]);
    if (!pending) {
      throw new SettleError(
        'invalid_request',
        'You have already decided on this page, or it is older than 10 minutes. Return to the app; if it still has no access, start again there.',
      );
    }
    const request = await this.requests.read(pending.query);
    if (request.redirectUri !== pending.redirectUri) {
      throw new SettleError(
        'invalid_request',
        'The app changed its redirect URI in the meantime. Start again from the app.',
      );
    }
    if (request.app.name !== (pending.appName ?? request.app.name)) {
      throw new SettleError('invalid_request', 'The app changed its name in the meantime. Start again from the app.');
    }
    return request;
  }

  /** Stores the request for this session and returns the id for the consent form. */
  async #create(sessionId: string, { query, redirectUri, app }: AuthorizationRequest): Promise<string> {
    const id = randomSecret();
    const sessionSha256 = sha256(sessionId);
    await this.dataSource.query(DELETE_OLDEST, [sessionSha256]);
    const expiresAt = new Date(Date.now() + CONSENT_PAGE_LIFETIME_MS);
    await this.dataSource.query(INSERT, [sha256(id), sessionSha256, query, redirectUri, app.name, expiresAt]);
    return id;
  }

  /** Returns the display name and the username, or only the username while users-service does not respond. */
  async #describeDeveloper(userId: string): Promise<string> {
    const credential = await this.dataSource.getRepository(Credential).findOneBy({ userId });
    if (credential === null) return 'unknown';
    try {
      const options = { key: userId, timeoutMs: LIMITS.auth.requestTimeoutMs };
      // The developer is the viewer, so that users whom the developer blocked see the name, too.
      const { displayName } = await this.client.request(getProfile, { userId, viewerId: userId }, options);
      return `${displayName} (${credential.username})`;
    } catch (error) {
      if (error instanceof SettleError) return credential.username;
      throw error;
    }
  }
}
