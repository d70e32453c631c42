import { Injectable } from '@nestjs/common';
import { LIMITS } from '@settle/config';
import { SettleError } from '@settle/contracts';
import { SecurityLog } from '@settle/observability';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { DataSource, MoreThan, type EntityManager } from 'typeorm';
import { randomSecret, sha256 } from '../secrets.js';
import type { Credential } from '../tables/credential.entity.js';
import { Session } from '../tables/session.entity.js';
import { FROZEN_FOR_READING } from './frozen-for-reading.js';
import { KnownBrowsers } from './known-browsers.js';
import { formTokenOf, SessionCookie } from './session-cookie.js';

/** Nothing is written for visits closer together than this. */
const SEEN_EVERY_MS = 60_000;

/** Waits for a change of the password that is under way: a session begun under the old one would outlive it. */
const BEGIN = `
  insert into sessions (id_sha256, user_id, last_seen_at, authenticated_at, expires_at)
  select $1, user_id, $4::timestamptz, $4::timestamptz, $5::timestamptz from credentials where user_id = $2 and password_hash = $3
  for share
  returning user_id`;

/** Somebody who is signed in. */
export interface SignedIn {
  readonly sessionId: string;
  readonly userId: string;
  readonly username: string;
  /** When they last typed their password, milliseconds since 1970; 0: not known. */
  readonly authenticatedAtMs: number;
}

/** The sessions of the pages. Ids are stored hashed, so that a stolen database opens none. */
@Injectable()
export class Sessions {
  constructor(
    private readonly dataSource: DataSource,
    private readonly cookie: SessionCookie,
    private readonly browsers: KnownBrowsers,
    private readonly security: SecurityLog,
  ) {}

  /**
   * Begins a session for who signed in, and remembers the browser. The session's id is new: whatever id the browser had
   * before is not used again. Null, and no session, when the password that was shown is no longer the person's.
   */
  async begin(
    { userId, passwordHash }: Pick<Credential, 'userId' | 'passwordHash'>,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<SignedIn['sessionId'] | null> {
    await this.end(request);
    const sessionId = randomSecret();
    const now = new Date();
    const expiresAt = new Date(now.getTime() + LIMITS.auth.sessionMs);
    const begun = await this.dataSource.query<unknown[]>(BEGIN, [
      sha256(sessionId),
      userId,
      passwordHash,
      now,
      expiresAt,
    ]);
    if (begun.length === 0) {
      this.security.write('sign_in_failed', { userId });
      return null;
    }
    this.cookie.set(reply, sessionId);
    await this.browsers.remember(userId, request, reply);
    this.security.write('sign_in_succeeded', { userId });
    return sessionId;
  }

  /**
   * Who is signed in in this browser; null when nobody is, or the session was idle too long or is past its life.
   * Error: `account_frozen` while the account is frozen for reading; the session stays.
   */
  async current(request: FastifyRequest): Promise<SignedIn | null> {
    const sessionId = this.cookie.read(request);
    if (sessionId === null) return null;
    const now = new Date();
    const session = await this.#table.findOne({
      where: {
        idSha256: sha256(sessionId),
        expiresAt: MoreThan(now),
        lastSeenAt: MoreThan(new Date(now.getTime() - LIMITS.auth.sessionIdleMs)),
      },
      relations: { credential: true },
    });
    if (!session) return null;
    if (now.getTime() - session.lastSeenAt.getTime() > SEEN_EVERY_MS) {
      await this.#table.update({ idSha256: session.idSha256 }, { lastSeenAt: now });
    }
    const { userId, credential, authenticatedAt } = session;
    if (credential.readingFrozenAt !== null) throw new SettleError('account_frozen', FROZEN_FOR_READING);
    return { sessionId, userId, username: credential.username, authenticatedAtMs: authenticatedAt?.getTime() ?? 0 };
  }

  /** What the forms of a page carry, for the browser's session or for one that may begin. */
  formToken(request: FastifyRequest, reply: FastifyReply): string {
    return formTokenOf(this.cookie.readOrSet(request, reply));
  }

  /** Ends the browser's session, if it has one. */
  async end(request: FastifyRequest): Promise<void> {
    const sessionId = this.cookie.read(request);
    if (sessionId === null) return;
    const { raw } = await this.#table
      .createQueryBuilder()
      .delete()
      .where('id_sha256 = :id', { id: sha256(sessionId) })
      .returning(['userId'])
      .execute();
    const [ended] = raw as { user_id: string }[];
    if (ended !== undefined) this.security.write('session_ended', { userId: ended.user_id });
  }

  /** Ends every session of a person, and knows none of their browsers any more. */
  async endAll(userId: string, manager: EntityManager = this.dataSource.manager): Promise<void> {
    await manager.delete(Session, { userId });
    await this.browsers.forgetAll(userId, manager);
  }

  get #table() {
    return this.dataSource.getRepository(Session);
  }
}
