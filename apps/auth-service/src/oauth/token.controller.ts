import { Controller, Header, HttpCode, Post, Req } from '@nestjs/common';
import { LIMITS } from '@settle/config';
import {
  SettleError,
  formatAmount,
  getBalance,
  getProfile,
  isOpen,
  toUserResponse,
  withLegacyDatetimes,
  type Environment,
  type RequestContract,
} from '@settle/contracts';
import { MessageClient } from '@settle/messaging';
import { SecurityLog } from '@settle/observability';
import type { FastifyRequest } from 'fastify';
import { getCurrentRequest } from '../security-log/request-context.js';
import type { App } from '../tables/app.entity.js';
import type { Authorization } from './authorizations.js';
import { ClientAuthenticator } from './client-authenticator.js';
import { buildOauthPaths, readEnvironment } from './oauth-paths.js';
import { TokenGrants, type IssuedTokens } from './token-grants.js';
import { TOKEN_FIELDS, readTokenRequest, type TokenRequest } from './token-request.js';

/** Issues tokens to apps. */
@Controller(buildOauthPaths('/access_token'))
export class TokenController {
  constructor(
    private readonly clients: ClientAuthenticator,
    private readonly grants: TokenGrants,
    private readonly client: MessageClient,
    private readonly security: SecurityLog,
  ) {}

  @Post()
  @HttpCode(200)
  @Header('pragma', 'no-cache')
  issue(@Req() request: FastifyRequest): Promise<object> {
    return this.clients.handle(request, TOKEN_FIELDS, async (app, form) => {
      const response = await this.#issueTokens(app, readTokenRequest(form), readEnvironment(request.url));
      return app.legacyAnswers ? (withLegacyDatetimes(response) as object) : response;
    });
  }

  /**
   * Returns the token response. Loads the user first, so that the code or refresh token stays valid if another service
   * is unavailable. Errors: `invalid_grant`, `invalid_scope`, `service_unavailable`. @param environment of the balance
   */
  async #issueTokens({ clientId: appId }: App, request: TokenRequest, environment: Environment): Promise<object> {
    const authorization = await this.grants.findAuthorization(appId, request);
    const owner = await loadResourceOwner(this.client, authorization, environment);
    const { id: authorizationId, userId } = authorization;
    const facts = { appId, userId, authorizationId, kind: request.kind };
    try {
      const issued = await this.grants.redeem(authorization, request);
      this.security.write('tokens_issued', facts);
      return serializeTokens(issued, owner);
    } catch (error) {
      this.security.write('tokens_refused', facts);
      throw error;
    }
  }
}

type ResourceOwner = Awaited<ReturnType<typeof loadResourceOwner>>;

/**
 * Loads the user who granted an authorization from the other services, with the balance: null if the app has no access to
 * it. Errors: `service_unavailable` if a service does not reply; `invalid_grant` if the user no longer exists.
 */
async function loadResourceOwner(client: MessageClient, authorization: Authorization, environment: Environment) {
  const { userId, scopes } = authorization;
  const requestId = getCurrentRequest()?.requestId;
  const options = { key: userId, timeoutMs: LIMITS.auth.requestTimeoutMs, ...(requestId && { requestId }) };
  const send = <Request extends object, Reply extends object>(
    contract: RequestContract<Request, Reply>,
    request: Request,
  ): Promise<Reply> => client.request(contract, request, options).catch(rethrow);
  const [profile, balance] = await Promise.all([
    send(getProfile, { userId, viewerId: userId }),
    isOpen('balance', scopes) ? send(getBalance, { userId, environment }) : null,
  ]);
  return { profile, balanceCents: balance?.balanceCents ?? null };
}

function rethrow(error: unknown): never {
  const code = error instanceof SettleError ? error.code : null;
  if (code === 'resource_not_found') throw new SettleError('invalid_grant', 'This user no longer exists.');
  // A query without a reply changed nothing, so the app may retry.
  if (code !== 'outcome_unknown') throw error;
  throw new SettleError('service_unavailable', 'A service did not reply in time. Nothing was changed; retry shortly.');
}

/** Returns the response of the token endpoint (RFC 6749 5.1); balance: null if the app has no access to it. */
function serializeTokens(
  { accessToken, refreshToken, scopes, lifeMs }: IssuedTokens,
  { profile, balanceCents }: ResourceOwner,
): object {
  const showsBalance = balanceCents !== null && isOpen('balance', scopes);
  return {
    access_token: accessToken,
    expires_in: Math.floor(lifeMs / 1_000),
    token_type: 'bearer',
    scope: scopes.join(' '),
    refresh_token: refreshToken,
    user: toUserResponse(profile, scopes),
    balance: showsBalance ? formatAmount(balanceCents) : null,
  };
}
