import { Inject, Injectable } from '@nestjs/common';
import { LIMITS, type Settings } from '@settle/config';
import { SettleError, type Scope } from '@settle/contracts';
import { SecurityLog } from '@settle/observability';
import { DataSource, IsNull, Not, type EntityManager } from 'typeorm';
import { SETTINGS } from '../injection/providers.js';
import { randomSecret, sha256 } from '../secrets/secrets.js';
import { Credential } from '../tables/credential.entity.js';
import { RevocationPublisher } from '../tokens/revocation-publisher.js';
import { issueAccessToken } from '../tokens/tokens.js';
import { beginAuthorization, findAuthorization, lockAuthorization, type Authorization } from './authorizations.js';
import { findRedemptionFault, type CodeFault, type CodeState } from './code-state.js';
import { revokeAuthorizations } from './revoke-authorizations.js';
import { parseScopes } from './scopes.js';
import type { CodeRequest, RefreshRequest, TokenRequest } from './token-request.js';

/** The grant that a new code stands for. */
export interface NewCode extends Pick<Authorization, 'appId' | 'userId' | 'scopes'> {
  /** Whether the user granted every requested scope. Instances of an earlier version read it from the table. */
  readonly isWhole: boolean;
  /** The redirect URI that receives the code. */
  readonly redirectUri: string;
  /** The S256 challenge of RFC 7636; null if the app sent none. */
  readonly challenge: string | null;
}

/** The tokens of an app of the server-side flow. */
export interface IssuedTokens {
  readonly accessToken: string;
  readonly refreshToken: string;
  readonly scopes: readonly Scope[];
  /** Lifetime of the access token. */
  readonly lifeMs: number;
}

type CodeRow = Omit<CodeState, 'isRevoked'>;

interface Refusal {
  readonly message: string;
  /** The hashes of the access tokens that were revoked because of a reuse; absent: no reuse. */
  readonly revoked?: readonly string[];
}

/** Codes and refresh tokens: only their SHA-256 is stored, and used rows are kept so that a reuse is detected. */
const INSERT_CODE = `
  insert into authorization_codes (sha256, authorization_id, is_whole, redirect_uri, challenge, expires_at)
  values ($1, $2, $3, $4, $5, $6)`;
const SELECT_CODE = `
  select used_at is not null as "isUsed", (extract(epoch from expires_at) * 1000)::float8 as "expiresAtMs",
         redirect_uri as "redirectUri", challenge
  from authorization_codes where sha256 = $1`;
const USE_CODE = 'update authorization_codes set used_at = now() where sha256 = $1';
const INSERT_REFRESH_TOKEN = 'insert into refresh_tokens (sha256, authorization_id, expires_at) values ($1, $2, $3)';
const SELECT_REFRESH_TOKEN = `
  select used_at as "usedAt", expires_at as "expiresAt" from refresh_tokens where sha256 = $1`;
const USE_REFRESH_TOKEN = 'update refresh_tokens set used_at = $2 where sha256 = $1';
const EXTEND_AUTHORIZATION = 'update authorizations set ends_at = $2 where id = $1';

/** Schedules a revocation: it takes effect and is published when its time comes. */
const END_FORMER_TOKENS = `
  update tokens set revoked_at = now() + $2 * interval '1 millisecond'
  where authorization_id = $1 and revoked_at is null and expires_at > now() + $2 * interval '1 millisecond'`;

const REUSE_EVENTS = { code: 'authorization_code_reused', refresh_token: 'refresh_token_reused' } as const;
const REFUSALS: Readonly<Record<TokenRequest['kind'], string>> = {
  code: 'The code is unknown, used or expired. Ask the user again.',
  refresh_token: 'The refresh token is unknown, used or expired. Ask the user again.',
};
const CODE_REFUSALS: Readonly<Record<CodeFault, string>> = {
  used: REFUSALS.code,
  expired: REFUSALS.code,
  redirect_uri_mismatch:
    'redirect_uri is not the address that the code was sent to. The code is now used up: ask the user again.',
  verifier_mismatch: 'code_verifier does not match the code_challenge. The code is now used up: ask the user again.',
};

/** Issues a code within the caller's transaction. Error: `invalid_request` if the app was deleted. */
export async function issueCode(manager: EntityManager, newCode: NewCode): Promise<string> {
  const { isWhole, redirectUri, challenge, ...granted } = newCode;
  const lifeMs = LIMITS.auth.authorizationCodeMs;
  const authorizationId = await beginAuthorization(manager, { ...granted, lifeMs });
  const code = randomSecret();
  const expiresAt = new Date(Date.now() + lifeMs);
  await manager.query(INSERT_CODE, [sha256(code), authorizationId, isWhole, redirectUri, challenge, expiresAt]);
  return code;
}

/** Exchanges the codes and refresh tokens of the server-side flow for tokens. */
@Injectable()
export class TokenGrants {
  constructor(
    private readonly dataSource: DataSource,
    private readonly revocations: RevocationPublisher,
    private readonly security: SecurityLog,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  /** Returns the authorization of a code or refresh token, valid or not. Error: `invalid_grant` if this app has none. */
  async findAuthorization(appId: string, request: TokenRequest): Promise<Authorization> {
    const found =
      request.kind === 'code'
        ? await findAuthorization(this.dataSource, 'authorization_codes', request.code)
        : await findAuthorization(this.dataSource, 'refresh_tokens', request.refreshToken);
    if (found?.appId !== appId) throw new SettleError('invalid_grant', REFUSALS[request.kind]);
    return found;
  }

  /**
   * Exchanges a code or refresh token. Errors: `invalid_grant`; `invalid_scope` for a scope that was not granted, in
   * which case the refresh token stays valid.
   */
  async redeem({ id, appId, userId, scopes: allowed }: Authorization, request: TokenRequest): Promise<IssuedTokens> {
    const scopes = request.kind === 'code' ? allowed : narrowScopes(allowed, request.scope);
    const outcome = await this.dataSource.transaction(async (manager) => {
      const authorization = { ...(await lockAuthorization(manager, id)), scopes };
      return request.kind === 'code'
        ? this.#redeemCode(manager, authorization, request)
        : this.#redeemRefreshToken(manager, authorization, request);
    });
    if ('accessToken' in outcome) return outcome;
    if (outcome.revoked) {
      this.security.write(REUSE_EVENTS[request.kind], { authorizationId: id, appId, userId });
      await this.revocations.publish(outcome.revoked);
    }
    throw new SettleError('invalid_grant', outcome.message);
  }

  /** An app has one attempt: a failed one uses up the code too, and a second one also revokes the tokens of the first. */
  async #redeemCode(
    manager: EntityManager,
    authorization: Authorization,
    request: CodeRequest,
  ): Promise<IssuedTokens | Refusal> {
    const codeSha256 = sha256(request.code);
    const [code] = await manager.query<CodeRow[]>(SELECT_CODE, [codeSha256]);
    if (!code) return { message: REFUSALS.code };
    const state = { ...code, isRevoked: authorization.revokedAt !== null };
    const fault = findRedemptionFault(state, { ...request, nowMs: Date.now() });
    if (fault === 'used') {
      const { tokenSha256s: revoked } = await revokeAuthorizations(manager, authorization);
      return { message: CODE_REFUSALS.used, revoked };
    }
    await manager.query(USE_CODE, [codeSha256]);
    if (fault !== null) return { message: CODE_REFUSALS[fault] };
    return this.#issueTokens(manager, authorization);
  }

  /**
   * Each refresh token works once and is replaced. Reuse is taken as theft and revokes the authorization, except within
   * `REFRESH_LEEWAY` after the first use: a parallel request, or a retry after a lost response.
   */
  async #redeemRefreshToken(
    manager: EntityManager,
    authorization: Authorization,
    { refreshToken }: RefreshRequest,
  ): Promise<IssuedTokens | Refusal> {
    const refused = { message: REFUSALS.refresh_token };
    const tokenSha256 = sha256(refreshToken);
    const [row] = await manager.query<{ usedAt: Date | null; expiresAt: Date }[]>(SELECT_REFRESH_TOKEN, [tokenSha256]);
    if (!row || authorization.revokedAt !== null) return refused;
    const isReused = row.usedAt !== null && Date.now() - row.usedAt.getTime() >= this.settings.refreshLeewayMs;
    if (isReused) return { ...refused, revoked: (await revokeAuthorizations(manager, authorization)).tokenSha256s };
    if (row.expiresAt.getTime() <= Date.now() || this.#getRemainingMs(authorization) <= 0) return refused;
    // The leeway counts from the first use. A second use does not revoke the tokens that the first returned.
    if (row.usedAt === null) {
      await manager.query(USE_REFRESH_TOKEN, [tokenSha256, new Date()]);
      // In a minute, because requests in progress still use the current access tokens. The new one is issued after it.
      await manager.query(END_FORMER_TOKENS, [authorization.id, LIMITS.auth.formerTokenMs]);
    }
    return this.#issueTokens(manager, authorization);
  }

  /** Returns the milliseconds until the authorization can no longer be refreshed; negative: it has expired. */
  #getRemainingMs({ begunAt }: Authorization): number {
    return begunAt.getTime() + this.settings.refreshFamilyMs - Date.now();
  }

  /**
   * Issues an access token with a refresh token under the lock of their authorization. Error: `invalid_grant` while the
   * user's account is frozen for reading; the rollback leaves the redeemed code or refresh token valid.
   */
  async #issueTokens(manager: EntityManager, authorization: Authorization): Promise<IssuedTokens> {
    const { id: authorizationId, appId, userId, scopes } = authorization;
    if (await manager.existsBy(Credential, { userId, readingFrozenAt: Not(IsNull()) })) {
      throw new SettleError('invalid_grant', "The user's account is frozen. Try again after it is unfrozen.");
    }
    const refreshToken = randomSecret();
    const remainingMs = this.#getRemainingMs(authorization);
    const expiresAt = new Date(Date.now() + Math.min(LIMITS.auth.refreshTokenMs, remainingMs));
    const lifeMs = Math.min(LIMITS.auth.serverTokenMs, remainingMs);
    const accessToken = await issueAccessToken(manager, { authorizationId, appId, userId, scopes, lifeMs });
    await manager.query(INSERT_REFRESH_TOKEN, [sha256(refreshToken), authorizationId, expiresAt]);
    await manager.query(EXTEND_AUTHORIZATION, [authorizationId, expiresAt]);
    return { accessToken, refreshToken, scopes, lifeMs };
  }
}

function narrowScopes(allowed: readonly Scope[], scope: string | null): readonly Scope[] {
  if (scope === null) return allowed;
  const requested = parseScopes(scope);
  if (!requested?.every((one) => allowed.includes(one))) {
    throw new SettleError(
      'invalid_scope',
      'scope contains a scope that the user did not grant. Leave it out, or ask the user.',
    );
  }
  return requested;
}
