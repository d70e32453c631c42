import { timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { SettleError } from '@settle/contracts';
import { SecurityLog } from '@settle/observability';
import { DataSource, IsNull } from 'typeorm';
import { sha256 } from '../secrets.js';
import { App } from '../tables/app.entity.js';
import { refusalFor } from './legacy-apps.js';
import type { ClientCredentials } from './client-credentials.js';

/** Knows apps again. */
@Injectable()
export class Clients {
  constructor(
    private readonly dataSource: DataSource,
    private readonly security: SecurityLog,
  ) {}

  /**
   * The app that these credentials are of. One without a secret is known by its name alone.
   * Error: `invalid_client`, the same for an unknown app and for a secret that is wrong, missing or not expected; an app
   * that is suspended learns that once its secret is right.
   */
  async authenticate({ clientId, secret }: ClientCredentials): Promise<App> {
    const app = await this.dataSource.getRepository(App).findOneBy({ clientId, deletedAt: IsNull() });
    if (!app || !isSecretOf(app, secret)) {
      this.security.write('app_refused', { appId: app?.clientId });
      throw refusalFor(app, new SettleError('invalid_client', 'The app is unknown or its secret is wrong.'));
    }
    if (app.suspendedAt !== null) {
      this.security.write('app_refused', { appId: app.clientId });
      const why =
        'The app is suspended: its tokens have ended and it gets no new ones. Ask the operator of this wallet.';
      throw refusalFor(app, new SettleError('invalid_client', why));
    }
    return app;
  }
}

/** Whether it is the newest secret of an app or the one before, compared in constant time. */
function isSecretOf({ secretSha256, formerSecretSha256 }: App, secret: string | null): boolean {
  if (secretSha256 === null || secret === null) return secretSha256 === secret;
  const sent = sha256(secret);
  const isOne = (stored: Buffer | null) => stored?.length === sent.length && timingSafeEqual(stored, sent);
  return isOne(secretSha256) || isOne(formerSecretSha256);
}
