import { Injectable } from '@nestjs/common';
import { LIMITS } from '@settle/config';
import type { FastifyRequest } from 'fastify';
import { DataSource, type EntityManager } from 'typeorm';
import { randomSecret, sha256 } from '../secrets/secrets.js';
import { SessionCookie, type Exchange } from './session-cookie.js';

/** Browsers in which a user has signed in before: failed sign-ins from other browsers do not throttle them. */
@Injectable()
export class TrustedDevices {
  constructor(
    private readonly dataSource: DataSource,
    private readonly cookie: SessionCookie,
  ) {}

  /** Returns a key of this browser if the user has signed in with it before, otherwise null. */
  async find(request: FastifyRequest, userId: string | null): Promise<string | null> {
    const id = this.cookie.readDevice(request);
    if (id === null) return null;
    const key = hashKey(id, userId ?? '');
    const found = await this.dataSource.query<unknown[]>(
      'select from known_browsers where key_sha256 = $1 and expires_at > now()',
      [key],
    );
    return found.length > 0 ? key.toString('hex') : null;
  }

  async trust(userId: string, { request, reply }: Exchange): Promise<void> {
    const id = this.cookie.readDevice(request) ?? randomSecret();
    await this.dataSource.query(
      `insert into known_browsers values ($1, $2, now() + $3 * interval '1 millisecond')
       on conflict (key_sha256) do update set expires_at = excluded.expires_at`,
      [hashKey(id, userId), userId, LIMITS.auth.trustedDeviceMs],
    );
    this.cookie.setDevice(reply, id);
  }

  async forgetAll(userId: string, manager: EntityManager = this.dataSource.manager): Promise<void> {
    await manager.query('delete from known_browsers where user_id = $1', [userId]);
  }
}

/** Includes the user, because several users may share a browser. */
function hashKey(deviceId: string, userId: string): Buffer {
  return sha256(`${deviceId} ${userId}`);
}
