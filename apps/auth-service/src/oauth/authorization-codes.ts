import { Injectable } from '@nestjs/common';
import { LIMITS } from '@settle/config';
import { SettleError, type Scope } from '@settle/contracts';
import { SecurityLog } from '@settle/observability';
import { DataSource, type EntityManager } from 'typeorm';
import { randomSecret, sha256 } from '../secrets/secrets.js';
import { AuthorizationCode } from '../tables/authorization-code.entity.js';
import { Authorization } from '../tables/authorization.entity.js';
import { RevocationPublisher } from '../tokens/revocation-publisher.js';
import { Authorizations } from './authorizations.js';
import { revokeAuthorizations } from './revoke-authorizations.js';
import { findRedemptionFault, type CodeFault } from './code-state.js';
import { IssuedTokens, TokenPairs } from './token-pairs.js';

/** The grant that a new code stands for. */
export interface NewCode {
  readonly appId: string;
  readonly userId: string;
  readonly scopes: readonly Scope[];
  /** Whether the user granted every requested scope. */
  readonly isWhole: boolean;
  /** The redirect URI that receives the code. */
  readonly redirectUri: string;
  readonly challenge: string | null;
}

/** The parameters that an app sends to redeem a code; null: not sent. */
export interface PresentedCode {
  readonly appId: string;
  readonly code: string;
  readonly redirectUri: string | null;
  readonly verifier: string | null;
}

/** The issued tokens, or the fault and the hashes of the tokens that were revoked because of it. */
type Outcome = IssuedTokens | { readonly fault: CodeFault; readonly revoked: readonly string[] };

const MESSAGES: Readonly<Record<CodeFault, string>> = {
  used: 'The code is unknown, used or expired. Ask the user again.',
  expired: 'The code is unknown, used or expired. Ask the user again.',
  redirect_uri_mismatch:
    'redirect_uri is not the address that the code was sent to. The code is now used up: ask the user again.',
  verifier_mismatch: 'code_verifier does not match the code_challenge. The code is now used up: ask the user again.',
};

/** The authorization codes of the server-side flow. Only their SHA-256 is stored. */
@Injectable()
export class AuthorizationCodes {
  constructor(
    private readonly dataSource: DataSource,
    private readonly authorizations: Authorizations,
    private readonly revocations: RevocationPublisher,
    private readonly tokenPairs: TokenPairs,
    private readonly security: SecurityLog,
  ) {}

  /** Issues a code within the caller's transaction. Error: `invalid_request` if the app was deleted. */
  async issue(manager: EntityManager, { isWhole, redirectUri, challenge, ...granted }: NewCode): Promise<string> {
    const authorizationId = await this.authorizations.begin(manager, {
      ...granted,
      lifeMs: LIMITS.auth.authorizationCodeMs,
    });
    const code = randomSecret();
    const expiresAt = new Date(Date.now() + LIMITS.auth.authorizationCodeMs);
    const row = { sha256: sha256(code), authorizationId, isWhole, redirectUri, challenge, expiresAt };
    await manager.getRepository(AuthorizationCode).insert(row);
    return code;
  }

  /** Returns the code's authorization, redeemed or not. Error: `invalid_grant` if this app has no such code. */
  async findAuthorization({ appId, code }: Pick<PresentedCode, 'appId' | 'code'>): Promise<Authorization> {
    const found = await this.dataSource
      .getRepository(Authorization)
      .createQueryBuilder('authorization')
      .innerJoin(AuthorizationCode, 'code', 'code.authorization_id = authorization.id')
      .where('code.sha256 = :sha256 and authorization.app_id = :appId', { sha256: sha256(code), appId })
      .getOne();
    if (!found) throw new SettleError('invalid_grant', MESSAGES.expired);
    return found;
  }

  /**
   * Redeems a code for tokens. An app has one attempt: a failed one uses up the code too, and a second one also revokes
   * the tokens of the first. Error: `invalid_grant`.
   */
  async redeem(authorization: Authorization, presented: PresentedCode): Promise<IssuedTokens> {
    const outcome = await this.dataSource.transaction((manager) => this.#attempt(manager, authorization, presented));
    if (!('fault' in outcome)) return outcome;
    const { id: authorizationId, appId, userId } = authorization;
    if (outcome.fault === 'used') this.security.write('authorization_code_reused', { authorizationId, appId, userId });
    await this.revocations.publish(outcome.revoked);
    throw new SettleError('invalid_grant', MESSAGES[outcome.fault]);
  }

  async #attempt(manager: EntityManager, { id }: Authorization, presented: PresentedCode): Promise<Outcome> {
    const authorization = await this.tokenPairs.lock(manager, id);
    const codes = manager.getRepository(AuthorizationCode);
    const code = await codes.findOneByOrFail({ sha256: sha256(presented.code) });
    const state = {
      isUsed: code.usedAt !== null,
      isRevoked: authorization.revokedAt !== null,
      expiresAtMs: code.expiresAt.getTime(),
      redirectUri: code.redirectUri,
      challenge: code.challenge,
    };
    const fault = findRedemptionFault(state, { ...presented, nowMs: Date.now() });
    if (fault === 'used') {
      const { tokenSha256s } = await revokeAuthorizations(manager, authorization);
      return { fault, revoked: tokenSha256s };
    }
    await codes.update({ sha256: code.sha256 }, { usedAt: new Date() });
    if (fault !== null) return { fault, revoked: [] };
    return { ...(await this.tokenPairs.issue(manager, authorization)), isWhole: code.isWhole };
  }
}
