import { createHmac } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { LIMITS } from '@settle/config';
import { DataSource } from 'typeorm';
import { looksLikeSecret, sha256 } from '../secrets/secrets.js';

/** A card or account that a user is entering at the provider, and what it is to be for. */
export interface SourceRequest {
  /** Its key at the provider. */
  readonly sourceKey: string;
  readonly isForPayments: boolean;
  readonly isForPayouts: boolean;
}

const COLUMNS = 'source_key as "sourceKey", is_for_payments as "isForPayments", is_for_payouts as "isForPayouts"';
const IS_OPEN = 'state_sha256 = $1 and session_sha256 = $2 and used_at is null and expires_at > now()';

/** Deletes the oldest requests of a session, so that this one stays within the limit per session. */
const DELETE_OLDEST = `
  delete from source_requests where state_sha256 in (
    select state_sha256 from source_requests where session_sha256 = $2 and state_sha256 <> $1
    order by expires_at desc offset ${LIMITS.auth.sourceRequestsPerSession - 1})`;
const INSERT = `
  insert into source_requests (state_sha256, session_sha256, source_key, is_for_payments, is_for_payouts, expires_at)
  values ($1, $2, $3, $4, $5, $6) on conflict (state_sha256) do nothing`;
const SELECT = `select ${COLUMNS} from source_requests where ${IS_OPEN}`;
const CONSUME = `update source_requests set used_at = now() where ${IS_OPEN} returning ${COLUMNS}`;
const REOPEN = 'update source_requests set used_at = null where state_sha256 = $1 and session_sha256 = $2';

/**
 * The sources that users are entering at the provider. Each has a state, which the browser carries there and back: it
 * works once, for 15 minutes, in the session that began it.
 */
@Injectable()
export class SourceRequests {
  constructor(private readonly dataSource: DataSource) {}

  /**
   * Stores a request. Returns its state and the request, which is the first one if a form is sent twice; null if the
   * user has come back with it already, or it has expired.
   */
  async begin(
    sessionId: string,
    request: SourceRequest,
  ): Promise<{ readonly state: string; readonly request: SourceRequest } | null> {
    const state = deriveState(sessionId, request.sourceKey);
    const key = [sha256(state), sha256(sessionId)];
    const { sourceKey, isForPayments, isForPayouts } = request;
    await this.dataSource.query(DELETE_OLDEST, key);
    const expiresAt = new Date(Date.now() + LIMITS.auth.sourceRequestMs);
    await this.dataSource.query(INSERT, [...key, sourceKey, isForPayments, isForPayouts, expiresAt]);
    const [stored] = await this.dataSource.query<SourceRequest[]>(SELECT, key);
    return stored === undefined ? null : { state, request: stored };
  }

  /** Returns the request of a state and ends it; null if it was begun elsewhere, was used or has expired. */
  async consume(sessionId: string, state: unknown): Promise<SourceRequest | null> {
    if (typeof state !== 'string' || !looksLikeSecret(state)) return null;
    const key = [sha256(state), sha256(sessionId)];
    const [[request]] = await this.dataSource.query<[SourceRequest[], number]>(CONSUME, key);
    return request ?? null;
  }

  /** Lets a state that was consumed be used again until it expires: the provider did not answer. */
  async reopen(sessionId: string, sourceKey: string): Promise<void> {
    await this.dataSource.query(REOPEN, [sha256(deriveState(sessionId, sourceKey)), sha256(sessionId)]);
  }
}

/** Derived, so that a form that is sent twice leads back to the same address. It cannot be computed without the cookie. */
function deriveState(sessionId: string, sourceKey: string): string {
  return createHmac('sha256', sessionId).update(`settle source ${sourceKey}`).digest('base64url');
}
