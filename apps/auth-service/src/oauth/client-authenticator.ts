import { timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { SettleError } from '@settle/contracts';
import { SecurityLog } from '@settle/observability';
import { DataSource, IsNull } from 'typeorm';
import { sha256 } from '../secrets/secrets.js';
import { App } from '../tables/app.entity.js';
import { toAppError } from './legacy-errors.js';
import type { ClientCredentials } from './client-credentials.js';

@Injectable()
export class ClientAuthenticator {
  constructor(
    private readonly dataSource: DataSource,
    private readonly security: SecurityLog,
  ) {}

  /**
   * Returns the app with these credentials. A public client, which has no secret, is identified by its client_id alone.
   * Error: `invalid_client`, with the same message for an unknown app and for a wrong, missing or unexpected secret;
   * only a correct secret reveals that the app is suspended.
   */
  async authenticate({ clientId, secret }: ClientCredentials): Promise<App> {
    const app = await this.dataSource.getRepository(App).findOneBy({ clientId, deletedAt: IsNull() });
    if (!app || !hasSecret(app, secret)) {
      this.security.write('app_refused', { appId: app?.clientId });
      throw toAppError(app, new SettleError('invalid_client', 'The app is unknown or its secret is wrong.'));
    }
    if (app.suspendedAt !== null) {
      this.security.write('app_refused', { appId: app.clientId });
      const message =
        'The app is suspended: its tokens are revoked and it gets no new ones. Ask the operator of this wallet.';
      throw toAppError(app, new SettleError('invalid_client', message));
    }
    return app;
  }
}

/** Whether the secret is the app's current or former one, compared in constant time. */
function hasSecret({ secretSha256, formerSecretSha256 }: App, secret: string | null): boolean {
  if (secretSha256 === null || secret === null) return secretSha256 === secret;
  const sent = sha256(secret);
  const matches = (stored: Buffer | null) => stored?.length === sent.length && timingSafeEqual(stored, sent);
  return matches(secretSha256) || matches(formerSecretSha256);
}
