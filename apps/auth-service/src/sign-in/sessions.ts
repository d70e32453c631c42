import { Injectable } from '@nestjs/common';
import { LIMITS } from '@settle/config';
import { SettleError } from '@settle/contracts';
import { SecurityLog } from '@settle/observability';
import type { FastifyRequest } from 'fastify';
import { DataSource, MoreThan, type EntityManager } from 'typeorm';
import { randomSecret, sha256 } from '../secrets/secrets.js';
import type { Credential } from '../tables/credential.entity.js';
import { Session } from '../tables/session.entity.js';
import { FROZEN_FOR_READING } from '../tokens/frozen-for-reading.js';
import { TrustedDevices } from './trusted-devices.js';
import { deriveFormToken, SessionCookie, type Exchange } from './session-cookie.js';

/** The minimum time between two writes of `last_seen_at`. */
const LAST_SEEN_WRITE_MS = 60_000;

/** Waits for a password change in progress: a session begun with the old password would outlive it. */
const BEGIN = `
  insert into sessions (id_sha256, user_id, last_seen_at, authenticated_at, expires_at)
  select $1, user_id, $4::timestamptz, $4::timestamptz, $5::timestamptz from credentials where user_id = $2 and password_hash = $3
  for share
  returning user_id`;

export interface SignedInUser {
  readonly sessionId: string;
  readonly userId: string;
  readonly username: string;
  /** The CSRF token of the session's forms. */
  readonly formToken: string;
  /** When the user last entered the password, in milliseconds since 1970; 0: unknown. */
  readonly authenticatedAtMs: number;
}

/** The sessions of the pages. Ids are stored as hashes, so a stolen database contains no usable session. */
@Injectable()
export class Sessions {
  constructor(
    private readonly dataSource: DataSource,
    private readonly cookie: SessionCookie,
    private readonly devices: TrustedDevices,
    private readonly security: SecurityLog,
  ) {}

  /** Begins a session and trusts the browser. Returns its new id, or null if the password was changed meanwhile. */
  async begin(
    { userId, passwordHash }: Pick<Credential, 'userId' | 'passwordHash'>,
    exchange: Exchange,
  ): Promise<SignedInUser['sessionId'] | null> {
    await this.end(exchange.request);
    const sessionId = randomSecret();
    const now = new Date();
    const expiresAt = new Date(now.getTime() + LIMITS.auth.sessionMs);
    const inserted = await this.dataSource.query<unknown[]>(BEGIN, [
      sha256(sessionId),
      userId,
      passwordHash,
      now,
      expiresAt,
    ]);
    if (inserted.length === 0) {
      this.security.write('sign_in_failed', { userId });
      return null;
    }
    this.cookie.set(exchange.reply, sessionId);
    await this.devices.trust(userId, exchange);
    this.security.write('sign_in_succeeded', { userId });
    return sessionId;
  }

  /**
   * Returns the signed-in user of this browser, or null if there is no session or it was idle too long or has expired.
   * Error: `account_frozen` while the account is frozen for reading; the session is kept.
   */
  async current(request: FastifyRequest): Promise<SignedInUser | null> {
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
    if (now.getTime() - session.lastSeenAt.getTime() > LAST_SEEN_WRITE_MS) {
      await this.#table.update({ idSha256: session.idSha256 }, { lastSeenAt: now });
    }
    const { userId, credential, authenticatedAt } = session;
    if (credential.readingFrozenAt !== null) throw new SettleError('account_frozen', FROZEN_FOR_READING);
    const { username } = credential;
    const authenticatedAtMs = authenticatedAt?.getTime() ?? 0;
    return { sessionId, userId, username, formToken: deriveFormToken(sessionId), authenticatedAtMs };
  }

  /** Returns the CSRF token for the forms of a page; sets a session cookie if there is none. */
  formToken(exchange: Exchange): string {
    return deriveFormToken(this.cookie.readOrSet(exchange));
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

  /** Ends every session of a user and deletes their trusted devices. */
  async endAll(userId: string, manager: EntityManager = this.dataSource.manager): Promise<void> {
    await manager.delete(Session, { userId });
    await this.devices.forgetAll(userId, manager);
  }

  get #table() {
    return this.dataSource.getRepository(Session);
  }
}
