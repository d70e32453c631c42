import { Inject, Injectable } from '@nestjs/common';
import { SettleError, type Environment, type Scope, type TokenGrant } from '@settle/contracts';
import type { Pool } from 'pg';
import type { EntityManager } from 'typeorm';
import { POOL } from '../injection/providers.js';
import { FROZEN_FOR_READING } from './frozen-for-reading.js';
import { randomSecret, sha256 } from '../secrets/secrets.js';

/** The grant of a new access token. */
export interface NewToken {
  readonly authorizationId: string;
  readonly appId: string;
  readonly userId: string;
  readonly scopes: readonly Scope[];
  readonly lifeMs: number;
  /** The only environment in which it works; absent: all. */
  readonly environment?: Environment;
}

interface TokenRow extends Pick<TokenGrant, 'appId' | 'userId' | 'scopes' | 'expiresAtMs'> {
  readonly environment: Environment | null;
  /** Null: no revocation is scheduled. */
  readonly isRevoked: boolean | null;
  readonly legacyAnswers: boolean;
  /** Null: the user has set no daily limit for the app. */
  readonly appAmountPerDayCents: number | null;
  readonly isFrozen: boolean;
}

/** Only the SHA-256 is stored, so a stolen database contains no usable token. */
const INSERT = `
  insert into tokens (sha256, authorization_id, app_id, user_id, scopes, environment, issued_at, expires_at)
  values ($1, $2, $3, $4, $5, $6, $7, $8)`;

/**
 * Any API call may run this statement, so it is prepared once per connection. It updates `last_used_at` at most once a
 * minute, however often gateways check a token. A revocation may be scheduled, when a refresh replaces the token; one
 * that is published has come, even if the clock of the database went back since.
 */
const CHECK = {
  name: 'check-token',
  text: `
    with found as (
      select app_id, user_id, scopes, environment, authorization_id,
             revoked_at <= now() or revocation_published_at is not null as is_revoked,
             (extract(epoch from expires_at) * 1000)::float8 as expires_at_ms
      from tokens where sha256 = decode($1, 'hex')),
    used as (
      update authorizations set last_used_at = now() from found
      where id = found.authorization_id and found.is_revoked is not true
        and (last_used_at is null or last_used_at < now() - interval '1 minute'))
    select found.app_id as "appId", found.user_id as "userId", scopes, environment, is_revoked as "isRevoked",
           expires_at_ms as "expiresAtMs", legacy_answers as "legacyAnswers",
           amount_per_day_cents::float8 as "appAmountPerDayCents", reading_frozen_at is not null as "isFrozen"
    from found join apps on client_id = app_id join credentials on credentials.user_id = found.user_id
    left join app_amounts on app_amounts.user_id = found.user_id and app_amounts.app_id = found.app_id`,
};

/** Issues an access token within the caller's transaction and returns it. */
export async function issueAccessToken(manager: EntityManager, token: NewToken): Promise<string> {
  const { authorizationId, appId, userId, scopes, environment, lifeMs } = token;
  const secret = randomSecret();
  const issuedAt = new Date();
  const expiresAt = new Date(issuedAt.getTime() + lifeMs);
  const row = [sha256(secret), authorizationId, appId, userId, scopes, environment, issuedAt, expiresAt];
  await manager.query(INSERT, row);
  return secret;
}

/** Checks access tokens. */
@Injectable()
export class Tokens {
  constructor(@Inject(POOL) private readonly pool: Pool) {}

  /**
   * Returns the token's grant. Errors: `invalid_token`, `revoked_token`, `expired_token`; `account_frozen` while the
   * user's account is frozen for reading.
   * @param tokenSha256 in hex
   */
  async check(tokenSha256: string): Promise<TokenGrant> {
    const found = await this.pool.query<TokenRow>({ ...CHECK, values: [tokenSha256] });
    const [row] = found.rows;
    if (!row) throw new SettleError('invalid_token', 'The access token is not known. Ask for a new one.');
    const { appId, userId, scopes, environment, expiresAtMs, appAmountPerDayCents } = row;
    const details = row.legacyAnswers ? { legacyAnswers: true } : {};
    if (row.isRevoked) {
      throw new SettleError('revoked_token', 'The access token was revoked. Ask for a new one.', details);
    }
    if (expiresAtMs <= Date.now()) {
      throw new SettleError('expired_token', 'The access token has expired. Ask for a new one.', details);
    }
    if (row.isFrozen) throw new SettleError('account_frozen', FROZEN_FOR_READING, details);
    return {
      ...{ appId, userId, scopes, expiresAtMs, ...details },
      ...(environment !== null && { environment }),
      ...(appAmountPerDayCents !== null && { appAmountPerDayCents }),
    };
  }
}
