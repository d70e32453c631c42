import { Inject, Injectable } from '@nestjs/common';
import { SettleError, type Environment, type Scope, type TokenGrant } from '@settle/contracts';
import type { Pool } from 'pg';
import type { EntityManager } from 'typeorm';
import { POOL } from '../injection/providers.js';
import { FROZEN_FOR_READING } from './frozen-for-reading.js';
import { randomSecret, sha256 } from '../secrets/secrets.js';
import { Token } from '../tables/token.entity.js';

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

interface TokenRow {
  readonly app_id: string;
  readonly user_id: string;
  readonly scopes: Scope[];
  readonly environment: Environment | null;
  readonly expires_at_ms: number;
  /** Null: no revocation is scheduled. */
  readonly is_revoked: boolean | null;
  readonly legacy_answers: boolean;
  /** Null: the user has set no daily limit for the app. */
  readonly amount_per_day_cents: number | null;
  readonly is_frozen: boolean;
}

/**
 * Any API call may run this statement, so it is prepared once per connection. It updates `last_used_at` at most once a
 * minute: gateways cache a check for half a minute.
 */
const CHECK = {
  name: 'check-token',
  text: `
    with found as (
      select app_id, user_id, scopes, environment, authorization_id, revoked_at <= now() as is_revoked,
             (extract(epoch from expires_at) * 1000)::float8 as expires_at_ms
      from tokens where sha256 = decode($1, 'hex')),
    used as (
      update authorizations set last_used_at = now() from found
      where id = found.authorization_id and found.is_revoked is not true
        and (last_used_at is null or last_used_at < now() - interval '1 minute'))
    select found.app_id, found.user_id, scopes, environment, is_revoked, expires_at_ms, legacy_answers,
           amount_per_day_cents::float8 as amount_per_day_cents, reading_frozen_at is not null as is_frozen
    from found join apps on client_id = app_id join credentials on credentials.user_id = found.user_id
    left join app_amounts on app_amounts.user_id = found.user_id and app_amounts.app_id = found.app_id`,
};

/** Issues and checks access tokens. Only their SHA-256 is stored, so a stolen database contains no usable token. */
@Injectable()
export class Tokens {
  constructor(@Inject(POOL) private readonly pool: Pool) {}

  /** Issues an access token within the caller's transaction and returns it. */
  async issue(manager: EntityManager, { lifeMs, ...token }: NewToken): Promise<string> {
    const secret = randomSecret();
    const issuedAt = new Date();
    await manager.getRepository(Token).insert({
      ...token,
      sha256: sha256(secret),
      scopes: [...token.scopes],
      issuedAt,
      expiresAt: new Date(issuedAt.getTime() + lifeMs),
    });
    return secret;
  }

  /**
   * Returns the token's grant. Errors: `invalid_token`, `revoked_token`, `expired_token`; `account_frozen` while the
   * user's account is frozen for reading.
   * @param tokenSha256 in hex
   */
  async check(tokenSha256: string): Promise<TokenGrant> {
    const found = await this.pool.query<TokenRow>({ ...CHECK, values: [tokenSha256] });
    const [row] = found.rows;
    if (!row) throw new SettleError('invalid_token', 'The access token is not known. Ask for a new one.');
    const { app_id: appId, user_id: userId, scopes, environment, expires_at_ms: expiresAtMs } = row;
    const details = row.legacy_answers ? { legacyAnswers: true } : {};
    if (row.is_revoked) {
      throw new SettleError('revoked_token', 'The access token was revoked. Ask for a new one.', details);
    }
    if (expiresAtMs <= Date.now()) {
      throw new SettleError('expired_token', 'The access token has expired. Ask for a new one.', details);
    }
    if (row.is_frozen) throw new SettleError('account_frozen', FROZEN_FOR_READING, details);
    const { amount_per_day_cents: amountCents } = row;
    return {
      appId,
      userId,
      scopes,
      expiresAtMs,
      ...details,
      ...(environment !== null && { environment }),
      ...(amountCents !== null && { appAmountPerDayCents: amountCents }),
    };
  }
}
