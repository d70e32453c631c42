import { Injectable } from '@nestjs/common';
import { LIMITS } from '@settle/config';
import { SettleError } from '@settle/contracts';
import { DataSource } from 'typeorm';
import { randomSecret, sha256 } from '../secrets.js';
import { ConsentRequest } from '../tables/consent-request.entity.js';
import type { AuthorizationRequest } from './authorization-request.js';
import { AuthorizationRequests } from './authorization-requests.js';

/** Long enough to read a page. */
const ANSWERED_WITHIN_MS = 10 * 60_000;

/** All but the newest, so that with one more there are as many as a session may have. */
const END_OLDEST = `
  delete from consent_requests where id_sha256 in (
    select id_sha256 from consent_requests where session_sha256 = $1
    order by expires_at desc offset ${LIMITS.auth.consentPagesPerSession - 1})`;

/** The consent pages that were shown. Each is answered at most once, in the session that saw it. */
@Injectable()
export class Consents {
  constructor(
    private readonly dataSource: DataSource,
    private readonly requests: AuthorizationRequests,
  ) {}

  /** Remembers that this session is shown this request, and answers the id that its form carries. */
  async ask(sessionId: string, request: AuthorizationRequest): Promise<string> {
    const id = randomSecret();
    const sessionSha256 = sha256(sessionId);
    await this.dataSource.query(END_OLDEST, [sessionSha256]);
    await this.dataSource.getRepository(ConsentRequest).insert({
      idSha256: sha256(id),
      sessionSha256,
      query: request.query,
      redirectUri: request.redirectUri,
      appName: request.appName,
      expiresAt: new Date(Date.now() + ANSWERED_WITHIN_MS),
    });
    return id;
  }

  /**
   * The request that was shown under `id`, read anew; a second answer finds nothing.
   * Errors: `invalid_request` when it was not shown here, was answered, is too old, or the app leads elsewhere or has another name now;
   * `AuthorizationRefused` when the request no longer stands.
   */
  async take(sessionId: string, id: string): Promise<AuthorizationRequest> {
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
    const [shown] = raw as { query: string; redirect_uri: string; app_name: string | null }[];
    if (!shown) {
      throw new SettleError(
        'invalid_request',
        'This page was answered before, or is too old. Begin again from the app.',
      );
    }
    const request = await this.requests.read(shown.query);
    if (request.redirectUri !== shown.redirect_uri) {
      throw new SettleError('invalid_request', 'The app changed where it leads meanwhile. Begin again from the app.');
    }
    if (request.appName !== (shown.app_name ?? request.appName)) {
      throw new SettleError('invalid_request', 'The app changed its name meanwhile. Begin again from the app.');
    }
    return request;
  }
}
