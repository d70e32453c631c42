import { Injectable } from '@nestjs/common';
import { LIMITS } from '@settle/config';
import type { Scope } from '@settle/contracts';
import { DataSource, type EntityManager } from 'typeorm';
import { beginAuthorization } from '../oauth/authorizations.js';
import { issueCode } from '../oauth/token-grants.js';
import { AppSpendingLimits } from '../spending-limits/app-spending-limits.js';
import { issueAccessToken } from '../tokens/tokens.js';
import type { AuthorizationRequest } from './authorization-request.js';

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

/**
 * Stores the consent, which replaces an earlier one for the same redirect URI. It remembers the app's name: a renamed app
 * must ask again.
 */
const REMEMBER_CONSENT = `
  insert into consents (user_id, app_id, redirect_uri, scopes, app_name, given_at) values ($1, $2, $3, $4, $5, now())
  on conflict (user_id, app_id, redirect_uri)
    do update set scopes = excluded.scopes, app_name = excluded.app_name, given_at = excluded.given_at`;

/** Locks the consent until the transaction ends, so that its withdrawal comes either before or after. */
const LOCK_CONSENT = `
  select from consents where user_id = $1 and app_id = $2 and redirect_uri = $3 and scopes = $4::text[]
    and app_name = $5 for share`;

/**
 * Issues the code or the token that an approved authorization request receives, and remembers consents that the user need
 * not repeat: the app gets exactly these scopes at exactly this redirect URI without asking again.
 */
@Injectable()
export class GrantIssuer {
  constructor(
    private readonly dataSource: DataSource,
    private readonly limits: AppSpendingLimits,
  ) {}

  /** Issues the response to a request that the user just approved. Throws `invalid_request` if the app was deleted. */
  async issue(approval: Approval): Promise<ResponseParameters> {
    const { userId, request, scopes, amountPerDayCents } = approval;
    // The limit is stored even if gateways confirm it late.
    if (amountPerDayCents !== undefined)
      await this.limits.set({ userId, appId: request.app.clientId }, amountPerDayCents);
    return this.dataSource.transaction(async (manager) => {
      if (canRemember(request)) await manager.query(REMEMBER_CONSENT, listConsentValues(userId, request, scopes));
      return issueTokenOrCode(manager, approval);
    });
  }

  /** Issues the response to a request that matches a remembered consent. Returns null if the user must decide. */
  async issueFromConsent(request: AuthorizationRequest, userId: string): Promise<ResponseParameters | null> {
    if (!canRemember(request)) return null;
    return this.dataSource.transaction(async (manager) => {
      const consents = await manager.query<object[]>(LOCK_CONSENT, listConsentValues(userId, request, request.scopes));
      return consents.length === 0 ? null : issueTokenOrCode(manager, { request, userId, scopes: request.scopes });
    });
  }
}

/**
 * Whether the consent to this request may be remembered. Only codes that an app redeems with its secret are eligible: a
 * token in a URL, or a code for a public client, needs consent every time (RFC 8252 8.6, RFC 9700 2.1.2).
 */
export function canRemember({ responseType, app }: AuthorizationRequest): boolean {
  return responseType === 'code' && app.secretSha256 !== null;
}

function listConsentValues(userId: string, { app, redirectUri }: AuthorizationRequest, scopes: readonly Scope[]) {
  return [userId, app.clientId, redirectUri, scopes, app.name];
}

async function issueTokenOrCode(manager: EntityManager, approval: Approval): Promise<ResponseParameters> {
  const { request, userId, scopes } = approval;
  const { redirectUri, challenge } = request;
  const appId = request.app.clientId;
  const isWhole = scopes.length === request.scopes.length;
  if (request.responseType === 'code') {
    return { code: await issueCode(manager, { appId, userId, scopes, isWhole, redirectUri, challenge }) };
  }
  const lifeMs = LIMITS.auth.clientTokenMs;
  const authorizationId = await beginAuthorization(manager, { appId, userId, scopes, lifeMs });
  const token = await issueAccessToken(manager, { authorizationId, appId, userId, scopes, lifeMs });
  // RFC 6749 4.2.2: the response names the scope if it differs from the requested scope.
  return { access_token: token, ...(!isWhole && { scope: scopes.join(' ') }) };
}
