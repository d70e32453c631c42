import { Injectable } from '@nestjs/common';
import { LIMITS } from '@settle/config';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { DataSource, type EntityManager } from 'typeorm';
import { randomSecret, sha256 } from '../secrets.js';
import { SessionCookie } from './session-cookie.js';

/** Browsers in which somebody has signed in before: guesses from elsewhere do not slow them down. */
@Injectable()
export class KnownBrowsers {
  constructor(
    private readonly dataSource: DataSource,
    private readonly cookie: SessionCookie,
  ) {}

  /** What tells this browser from the others in which the person has signed in; null when it is none of them. */
  async of(request: FastifyRequest, userId: string | null): Promise<string | null> {
    const id = this.cookie.readBrowser(request);
    if (id === null) return null;
    const key = keyOf(id, userId ?? '');
    const found = await this.dataSource.query<unknown[]>(
      'select from known_browsers where key_sha256 = $1 and expires_at > now()',
      [key],
    );
    return found.length > 0 ? key.toString('hex') : null;
  }

  async remember(userId: string, request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const id = this.cookie.readBrowser(request) ?? randomSecret();
    await this.dataSource.query(
      `insert into known_browsers values ($1, $2, now() + $3 * interval '1 millisecond')
       on conflict (key_sha256) do update set expires_at = excluded.expires_at`,
      [keyOf(id, userId), userId, LIMITS.auth.browserKnownMs],
    );
    this.cookie.setBrowser(reply, id);
  }

  /** Nobody's browser is known any more that was this person's: somebody else may have been in it. */
  async forgetAll(userId: string, manager: EntityManager = this.dataSource.manager): Promise<void> {
    await manager.query('delete from known_browsers where user_id = $1', [userId]);
  }
}

/** Several people may use one browser. */
function keyOf(browserId: string, userId: string): Buffer {
  return sha256(`${browserId} ${userId}`);
}
