import { Injectable } from '@nestjs/common';
import { LIMITS } from '@settle/config';
import type { Scope } from '@settle/contracts';
import { DataSource, type EntityManager } from 'typeorm';
import { Authorizations } from '../oauth/authorizations.js';
import { AuthorizationCodes } from '../oauth/authorization-codes.js';
import { Tokens } from '../tokens/tokens.js';
import type { AuthorizationRequest } from './authorization-request.js';
import { RememberedConsents } from './remembered-consents.js';

/** What a user says yes to. */
export interface Allowed {
  readonly asked: AuthorizationRequest;
  readonly userId: string;
  /** As many as were asked for, or fewer. */
  readonly scopes: readonly Scope[];
  /** What the app may move within a day, cents; null: no limit. Undefined: as it was. */
  readonly amountPerDayCents?: number | null | undefined;
}

/** Parameters that go to the app's address. */
export type AppAnswer = Readonly<Record<string, string>>;

/** Makes of a yes what the app is sent. */
@Injectable()
export class Allowing {
  constructor(
    private readonly dataSource: DataSource,
    private readonly authorizations: Authorizations,
    private readonly codes: AuthorizationCodes,
    private readonly tokens: Tokens,
    private readonly consents: RememberedConsents,
  ) {}

  /** The answer to a request that was just allowed. Error: `invalid_request` when the app has been given up. */
  async allow(allowed: Allowed): Promise<AppAnswer> {
    await this.consents.rememberAmount(allowed);
    return this.dataSource.transaction(async (manager) => {
      if (this.consents.canHold(allowed.asked)) await this.consents.remember(manager, allowed);
      return this.#answer(manager, allowed);
    });
  }

  /** The answer to a request that was allowed before, exactly as it is; null when the user is to be asked. */
  allowAsBefore(asked: AuthorizationRequest, userId: string): Promise<AppAnswer | null> {
    return this.dataSource.transaction(async (manager) => {
      if (!(await this.consents.holds(manager, userId, asked))) return null;
      return this.#answer(manager, { asked, userId, scopes: asked.scopes });
    });
  }

  async #answer(manager: EntityManager, { asked, userId, scopes }: Allowed): Promise<AppAnswer> {
    const { appId, redirectUri, challenge } = asked;
    const isWhole = scopes.length === asked.scopes.length;
    if (asked.responseType === 'code') {
      return { code: await this.codes.issue(manager, { appId, userId, scopes, isWhole, redirectUri, challenge }) };
    }
    const lifeMs = LIMITS.auth.clientTokenMs;
    const authorizationId = await this.authorizations.begin(manager, { appId, userId, scopes, lifeMs });
    const token = await this.tokens.issue(manager, { authorizationId, appId, userId, scopes, lifeMs });
    // RFC 6749 4.2.2: the scope is told when it is not the one that was asked for.
    return { access_token: token, ...(!isWhole && { scope: scopes.join(' ') }) };
  }
}
