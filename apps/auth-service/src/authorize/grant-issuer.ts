import { Injectable } from '@nestjs/common';
import { LIMITS } from '@settle/config';
import type { Scope } from '@settle/contracts';
import { DataSource, type EntityManager } from 'typeorm';
import { Authorizations } from '../oauth/authorizations.js';
import { AuthorizationCodes } from '../oauth/authorization-codes.js';
import { Tokens } from '../tokens/tokens.js';
import type { AuthorizationRequest } from './authorization-request.js';
import { RememberedConsents } from './remembered-consents.js';

/** An authorization request that the user approved. */
export interface Approval {
  readonly request: AuthorizationRequest;
  readonly userId: string;
  /** All or some of the requested scopes. */
  readonly scopes: readonly Scope[];
  /** The daily limit of the app in cents. Null removes the limit; undefined keeps it. */
  readonly amountPerDayCents?: number | null | undefined;
}

/** Parameters for the redirect URI of the app. */
export type ResponseParameters = Readonly<Record<string, string>>;

/** Issues the code or the token that an approved authorization request receives. */
@Injectable()
export class GrantIssuer {
  constructor(
    private readonly dataSource: DataSource,
    private readonly authorizations: Authorizations,
    private readonly codes: AuthorizationCodes,
    private readonly tokens: Tokens,
    private readonly consents: RememberedConsents,
  ) {}

  /** Issues the response to a request that the user just approved. Throws `invalid_request` if the app was deleted. */
  async issue(approval: Approval): Promise<ResponseParameters> {
    await this.consents.saveAmount(approval);
    return this.dataSource.transaction(async (manager) => {
      if (this.consents.canRemember(approval.request)) await this.consents.remember(manager, approval);
      return this.#issueTokenOrCode(manager, approval);
    });
  }

  /** Issues the response to a request that matches a remembered consent. Returns null if the user must decide. */
  issueFromConsent(request: AuthorizationRequest, userId: string): Promise<ResponseParameters | null> {
    return this.dataSource.transaction(async (manager) => {
      if (!(await this.consents.isRemembered(manager, userId, request))) return null;
      return this.#issueTokenOrCode(manager, { request, userId, scopes: request.scopes });
    });
  }

  async #issueTokenOrCode(manager: EntityManager, { request, userId, scopes }: Approval): Promise<ResponseParameters> {
    const { appId, redirectUri, challenge } = request;
    const isWhole = scopes.length === request.scopes.length;
    if (request.responseType === 'code') {
      return { code: await this.codes.issue(manager, { appId, userId, scopes, isWhole, redirectUri, challenge }) };
    }
    const lifeMs = LIMITS.auth.clientTokenMs;
    const authorizationId = await this.authorizations.begin(manager, { appId, userId, scopes, lifeMs });
    const token = await this.tokens.issue(manager, { authorizationId, appId, userId, scopes, lifeMs });
    // RFC 6749 4.2.2: the response names the scope if it differs from the requested scope.
    return { access_token: token, ...(!isWhole && { scope: scopes.join(' ') }) };
  }
}
