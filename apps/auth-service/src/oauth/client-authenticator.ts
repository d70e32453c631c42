import { timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { SettleError } from '@settle/contracts';
import { SecurityLog } from '@settle/observability';
import type { FastifyRequest } from 'fastify';
import { DataSource, IsNull } from 'typeorm';
import { sha256 } from '../secrets/secrets.js';
import { App } from '../tables/app.entity.js';
import { readClientCredentials } from './client-credentials.js';
import { readForm, type FormFields } from './form-body.js';

@Injectable()
export class ClientAuthenticator {
  constructor(
    private readonly dataSource: DataSource,
    private readonly security: SecurityLog,
  ) {}

  /**
   * Authenticates the app that sent a form and handles it with `work`. A public client, which has no secret, is identified
   * by its client_id alone. Error: `invalid_client`, with the same message for an unknown app and for a wrong, missing or
   * unexpected secret; only a correct secret reveals that the app is suspended. Errors of an app that uses the legacy
   * response format are marked for it.
   * @param fields the fields that the query must not contain
   */
  async handle<Result>(
    request: FastifyRequest,
    fields: readonly string[],
    work: (app: App, form: FormFields) => Promise<Result>,
  ): Promise<Result> {
    const form = readForm(request, fields);
    const { clientId, secret } = readClientCredentials(form, request.headers.authorization);
    const app = await this.dataSource.getRepository(App).findOneBy({ clientId, deletedAt: IsNull() });
    try {
      return await work(this.#authenticate(app, secret), form);
    } catch (error) {
      if (app?.legacyAnswers !== true || !(error instanceof SettleError)) throw error;
      throw new SettleError(error.code, error.message, { ...error.details, legacyAnswers: true });
    }
  }

  #authenticate(app: App | null, secret: string | null): App {
    const isAuthentic = app !== null && hasSecret(app, secret);
    if (isAuthentic && app.suspendedAt === null) return app;
    this.security.write('app_refused', { appId: app?.clientId });
    const message = isAuthentic
      ? 'The app is suspended: its tokens are revoked and it gets no new ones. Ask the operator of this wallet.'
      : 'The app is unknown or its secret is wrong.';
    throw new SettleError('invalid_client', message);
  }
}

/** Whether the secret is the app's current or former one, compared in constant time. */
function hasSecret({ secretSha256, formerSecretSha256 }: App, secret: string | null): boolean {
  if (secretSha256 === null || secret === null) return secretSha256 === secret;
  const sent = sha256(secret);
  const matches = (stored: Buffer | null) => stored?.length === sent.length && timingSafeEqual(stored, sent);
  return matches(secretSha256) || matches(formerSecretSha256);
}
