import { Injectable } from '@nestjs/common';
import { LIMITS } from '@settle/config';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { DataSource, MoreThan } from 'typeorm';
import { randomSecret, sha256 } from '../secrets.js';
import { Session } from '../tables/session.entity.js';
import { KnownBrowsers } from './known-browsers.js';
import { formTokenOf, SessionCookie } from './session-cookie.js';

/** Nothing is written for visits closer together than this. */
const SEEN_EVERY_MS = 60_000;

/** Somebody who is signed in. */
export interface SignedIn {
  readonly sessionId: string;
  readonly userId: string;
  readonly username: string;
}

/** The sessions of the pages. Ids are stored hashed, so that a stolen database opens none. */
@Injectable()
export class Sessions {
  constructor(
    private readonly dataSource: DataSource,
    private readonly cookie: SessionCookie,
    private readonly browsers: KnownBrowsers,
  ) {}

  /**
   * Begins a session for who signed in, and remembers the browser. The session's id is new: whatever id the browser had
   * before is not used again.
   */
  async begin(userId: string, request: FastifyRequest, reply: FastifyReply): Promise<SignedIn['sessionId']> {
    await this.end(request);
    const sessionId = randomSecret();
    const now = new Date();
    await this.#table.insert({
      idSha256: sha256(sessionId),
      userId,
      lastSeenAt: now,
      expiresAt: new Date(now.getTime() + LIMITS.auth.sessionMs),
    });
    this.cookie.set(reply, sessionId);
    await this.browsers.remember(userId, request, reply);
    return sessionId;
  }

  /** Who is signed in in this browser; null when nobody is, or the session was idle too long or is past its life. */
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
    return { sessionId, userId: session.userId, username: session.credential.username };
  }

  /** What the forms of a page carry, for the browser's session or for one that may begin. */
  formToken(request: FastifyRequest, reply: FastifyReply): string {
    return formTokenOf(this.cookie.readOrSet(request, reply));
  }

  /** Ends the browser's session, if it has one. */
  async end(request: FastifyRequest): Promise<void> {
    const sessionId = this.cookie.read(request);
    if (sessionId !== null) await this.#table.delete({ idSha256: sha256(sessionId) });
  }

  /** Ends every session of a person, and knows none of their browsers any more. */
  async endAll(userId: string): Promise<void> {
    await this.#table.delete({ userId });
    await this.browsers.forgetAll(userId);
  }

  get #table() {
    return this.dataSource.getRepository(Session);
  }
}
