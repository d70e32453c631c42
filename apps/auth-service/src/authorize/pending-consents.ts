import { Injectable } from '@nestjs/common';
import { LIMITS } from '@settle/config';
import { SettleError } from '@settle/contracts';
import { DataSource } from 'typeorm';
import { randomSecret, sha256 } from '../secrets/secrets.js';
import type { AuthorizationRequest } from './authorization-request.js';
import { AuthorizationRequestReader } from './authorization-request-reader.js';

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
const CONSUME = `
  delete from consent_requests where id_sha256 = $1 and session_sha256 = $2 and expires_at > now()
  returning query, redirect_uri as "redirectUri", app_name as "appName"`;

/** The consent requests that wait for a decision. Each accepts one decision, in the session that it was shown in. */
@Injectable()
export class PendingConsents {
  constructor(
    private readonly dataSource: DataSource,
    private readonly requests: AuthorizationRequestReader,
  ) {}

  /** Stores the request for this session and returns the id for the consent form. */
  async create(sessionId: string, { query, redirectUri, app }: AuthorizationRequest): Promise<string> {
    const id = randomSecret();
    const sessionSha256 = sha256(sessionId);
    await this.dataSource.query(DELETE_OLDEST, [sessionSha256]);
    const expiresAt = new Date(Date.now() + CONSENT_PAGE_LIFETIME_MS);
    await this.dataSource.query(INSERT, [sha256(id), sessionSha256, query, redirectUri, app.name, expiresAt]);
    return id;
  }

  /**
   * Removes the request with this id, validates it again, and returns it. Throws `invalid_request` if the request belongs
   * to another session, was decided, or expired, or if the redirect URI or the name of the app has changed since; throws
   * `AuthorizationRequestError` if the request is no longer valid.
   */
  async consume(sessionId: string, id: string): Promise<AuthorizationRequest> {
    type Pending = Pick<AuthorizationRequest, 'query' | 'redirectUri'> & { readonly appName: string | null };
    const [[pending]] = await this.dataSource.query<[Pending[], number]>(CONSUME, [sha256(id), sha256(sessionId)]);
    if (!pending) {
      throw new SettleError('invalid_request', 'This page was already used or has expired. Start again from the app.');
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
}
