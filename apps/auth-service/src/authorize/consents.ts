import { Injectable } from '@nestjs/common';
import { SettleError } from '@settle/contracts';
import { DataSource } from 'typeorm';
import { randomSecret, sha256 } from '../secrets.js';
import { ConsentRequest } from '../tables/consent-request.entity.js';
import type { AuthorizationRequest } from './authorization-request.js';
import { AuthorizationRequests } from './authorization-requests.js';

/** Long enough to read a page. */
const ANSWERED_WITHIN_MS = 10 * 60_000;

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
    await this.dataSource.getRepository(ConsentRequest).insert({
      idSha256: sha256(id),
      sessionSha256: sha256(sessionId),
      query: request.query,
      redirectUri: request.redirectUri,
      expiresAt: new Date(Date.now() + ANSWERED_WITHIN_MS),
    });
    return id;
  }

  /**
   * The request that was shown under `id`, read anew; a second answer finds nothing.
   * Errors: `invalid_request` when it was not shown here, was answered, is too old or leads elsewhere now;
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
      .returning(['query', 'redirectUri'])
      .execute();
    const [shown] = raw as { query: string; redirect_uri: string }[];
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
    return request;
  }
}
