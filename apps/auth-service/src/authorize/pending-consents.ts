import { Injectable } from '@nestjs/common';
import { LIMITS } from '@settle/config';
import { SettleError } from '@settle/contracts';
import { DataSource } from 'typeorm';
import { randomSecret, sha256 } from '../secrets/secrets.js';
import { ConsentRequest } from '../tables/consent-request.entity.js';
import type { AuthorizationRequest } from './authorization-request.js';
import { AuthorizationRequestReader } from './authorization-request-reader.js';

const CONSENT_PAGE_LIFETIME_MS = 10 * 60_000;

/** Deletes the oldest requests of a session, so that one more stays within the limit per session. */
const DELETE_OLDEST = `
  delete from consent_requests where id_sha256 in (
    select id_sha256 from consent_requests where session_sha256 = $1
    order by expires_at desc offset ${LIMITS.auth.consentPagesPerSession - 1})`;

/** The consent requests that wait for a decision. Each accepts one decision, in the session that it was shown in. */
@Injectable()
export class PendingConsents {
  constructor(
    private readonly dataSource: DataSource,
    private readonly requests: AuthorizationRequestReader,
  ) {}

  /** Stores the request for this session and returns the id for the consent form. */
  async create(sessionId: string, request: AuthorizationRequest): Promise<string> {
    const id = randomSecret();
    const sessionSha256 = sha256(sessionId);
    await this.dataSource.query(DELETE_OLDEST, [sessionSha256]);
    await this.dataSource.getRepository(ConsentRequest).insert({
      idSha256: sha256(id),
      sessionSha256,
      query: request.query,
      redirectUri: request.redirectUri,
      appName: request.appName,
      expiresAt: new Date(Date.now() + CONSENT_PAGE_LIFETIME_MS),
    });
    return id;
  }

  /**
   * Removes the request with this id, validates it again, and returns it. Throws `invalid_request` if the request belongs
   * to another session, was decided, or expired, or if the redirect URI or the name of the app has changed since; throws
   * `AuthorizationRequestError` if the request is no longer valid.
   */
  async consume(sessionId: string, id: string): Promise<AuthorizationRequest> {
    const { raw } = await this.dataSource
      .createQueryBuilder()
      .delete()
      .from(ConsentRequest)
      .where('id_sha256 = :id and session_sha256 = :session and expires_at > now()', {
        id: sha256(id),
        session: sha256(sessionId),
      })
      .returning(['query', 'redirectUri', 'appName'])
      .execute();
    const [pending] = raw as { query: string; redirect_uri: string; app_name: string | null }[];
    if (!pending) {
      throw new SettleError('invalid_request', 'This page was already used or has expired. Start again from the app.');
    }
    const request = await this.requests.read(pending.query);
    if (request.redirectUri !== pending.redirect_uri) {
      throw new SettleError(
        'invalid_request',
        'The app changed its redirect URI in the meantime. Start again from the app.',
      );
    }
    if (request.appName !== (pending.app_name ?? request.appName)) {
      throw new SettleError('invalid_request', 'The app changed its name in the meantime. Start again from the app.');
    }
    return request;
  }
}
