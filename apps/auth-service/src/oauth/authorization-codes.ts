import { Injectable } from '@nestjs/common';
import { LIMITS } from '@settle/config';
import { SettleError, type Scope } from '@settle/contracts';
import { SecurityLog } from '@settle/observability';
import { DataSource, type EntityManager } from 'typeorm';
import { randomSecret, sha256 } from '../secrets.js';
import { AuthorizationCode } from '../tables/authorization-code.entity.js';
import { Authorization } from '../tables/authorization.entity.js';
import { Revocations } from '../tokens/revocations.js';
import { Authorizations } from './authorizations.js';
import { endAuthorizations } from './end-authorizations.js';
import { faultOfRedemption, type CodeFault } from './code-state.js';
import { IssuedTokens, TokenPairs } from './token-pairs.js';

/** What a code stands for. */
export interface NewCode {
  readonly appId: string;
  readonly userId: string;
  readonly scopes: readonly Scope[];
  /** Whether the user allowed all that was asked for. */
  readonly isWhole: boolean;
  /** The address that the code is sent to. */
  readonly redirectUri: string;
  readonly challenge: string | null;
}

/** What an app shows to have its tokens; null: not sent. */
export interface ShownCode {
  readonly appId: string;
  readonly code: string;
  readonly redirectUri: string | null;
  readonly verifier: string | null;
}

/** What came of trying: tokens, or what is wrong and which tokens were revoked for it. */
type Outcome = IssuedTokens | { readonly fault: CodeFault; readonly revoked: readonly string[] };

const MESSAGES: Readonly<Record<CodeFault, string>> = {
  used: 'The code is unknown, used or expired. Ask the user again.',
  over: 'The code is unknown, used or expired. Ask the user again.',
  other_address: 'redirect_uri is not the address that the code was sent to. The code is used up: ask the user again.',
  wrong_verifier: 'code_verifier does not fit the code_challenge. The code is used up: ask the user again.',
};

/** The codes of the server-side flow. Only their SHA-256 is stored. */
@Injectable()
export class AuthorizationCodes {
  constructor(
    private readonly dataSource: DataSource,
    private readonly authorizations: Authorizations,
    private readonly revocations: Revocations,
    private readonly tokenPairs: TokenPairs,
    private readonly security: SecurityLog,
  ) {}

  /** Makes a code, within a transaction. Error: `invalid_request` when the app has been given up. */
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

  /** Whose code it is, redeemed or not. Error: `invalid_grant` when this app has no such code. */
  async ownerOf({ appId, code }: Pick<ShownCode, 'appId' | 'code'>): Promise<Authorization> {
    const found = await this.dataSource
      .getRepository(Authorization)
      .createQueryBuilder('authorization')
      .innerJoin(AuthorizationCode, 'code', 'code.authorization_id = authorization.id')
      .where('code.sha256 = :sha256 and authorization.app_id = :appId', { sha256: sha256(code), appId })
      .getOne();
    if (!found) throw new SettleError('invalid_grant', MESSAGES.over);
    return found;
  }

  /**
   * Tokens for a code. Its app has one try: the code is used up, whatever is wrong with the rest; a further try also
   * ends what the first one got. Error: `invalid_grant`.
   */
  async redeem(authorization: Authorization, shown: ShownCode): Promise<IssuedTokens> {
    const outcome = await this.dataSource.transaction((manager) => this.#try(manager, authorization, shown));
    if (!('fault' in outcome)) return outcome;
    const { id: authorizationId, appId, userId } = authorization;
    if (outcome.fault === 'used') this.security.write('authorization_code_reused', { authorizationId, appId, userId });
    await this.revocations.tell(outcome.revoked);
    throw new SettleError('invalid_grant', MESSAGES[outcome.fault]);
  }

  async #try(manager: EntityManager, { id }: Authorization, shown: ShownCode): Promise<Outcome> {
    const authorization = await this.tokenPairs.lock(manager, id);
    const codes = manager.getRepository(AuthorizationCode);
    const code = await codes.findOneByOrFail({ sha256: sha256(shown.code) });
    const state = {
      isUsed: code.usedAt !== null,
      isRevoked: authorization.revokedAt !== null,
      expiresAtMs: code.expiresAt.getTime(),
      redirectUri: code.redirectUri,
      challenge: code.challenge,
    };
    const fault = faultOfRedemption(state, { ...shown, nowMs: Date.now() });
    if (fault === 'used') {
      const { tokenSha256s } = await endAuthorizations(manager, authorization);
      return { fault, revoked: tokenSha256s };
    }
    await codes.update({ sha256: code.sha256 }, { usedAt: new Date() });
    if (fault !== null) return { fault, revoked: [] };
    return { ...(await this.tokenPairs.issue(manager, authorization)), isWhole: code.isWhole };
  }
}
