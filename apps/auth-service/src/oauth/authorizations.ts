import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { LIMITS } from '@settle/config';
import { SettleError, type Scope } from '@settle/contracts';
import { SecurityLog } from '@settle/observability';
import { DataSource, type EntityManager } from 'typeorm';
import { Revocations } from '../tokens/revocations.js';

/** What a user allows an app, and how long what comes of it lives at first. */
export interface NewAuthorization {
  readonly appId: string;
  readonly userId: string;
  readonly scopes: readonly Scope[];
  readonly lifeMs: number;
}

/** Which authorizations are to end: one, all of an app, all that one user gave an app, or gave at all. */
export type EndedAuthorizations =
  | { readonly id: string; readonly appId: string; readonly userId: string }
  | { readonly appId: string }
  | { readonly appId: string; readonly userId: string }
  | { readonly userId: string };

/** Against giving the app up at the same moment: either this comes first and is ended with the rest, or it is refused. */
const HOLD_APP = 'select from apps where client_id = $1 and deleted_at is null for share';

const BEGIN = `
  insert into authorizations (id, app_id, user_id, scopes, connected_at, ends_at)
  select $1, $2, $3, $4, coalesce(min(connected_at), now()), now() + $5 * interval '1 millisecond'
  from authorizations where user_id = $3 and app_id = $2 and revoked_at is null`;

/** Many at a time, in one order, so that two of these never wait in a circle. */
const BATCH_ROWS = 1_000;
const END = `
  update authorizations set revoked_at = now() where id in (
    select id from authorizations
    where ($1::uuid is null or id = $1) and ($2::text is null or app_id = $2) and ($3::bigint is null or user_id = $3)
      and revoked_at is null
    order by id limit ${BATCH_ROWS} for update)
  returning id`;
/** A statement of its own: it sees the tokens of whoever held the lock before. */
const REVOKE_TOKENS = `
  update tokens set revoked_at = now()
  where authorization_id = any($1) and (revoked_at is null or revoked_at > now())
  returning encode(sha256, 'hex') as sha256`;

/** A revocation in the future: it is in effect, and published, once its time has come. */
const END_FORMER_TOKENS = `
  update tokens set revoked_at = now() + $2 * interval '1 millisecond'
  where authorization_id = $1 and revoked_at is null and expires_at > now() + $2 * interval '1 millisecond'`;

/**
 * What users allowed apps. The row of an authorization is the lock under which everything that hangs on it is issued
 * and ended: nothing new comes of one that has ended.
 */
@Injectable()
export class Authorizations {
  constructor(
    private readonly dataSource: DataSource,
    private readonly revocations: Revocations,
    private readonly security: SecurityLog,
  ) {}

  /** Begins one, and answers its id. Error: `invalid_request` when the app has been given up. */
  async begin(manager: EntityManager, { appId, userId, scopes, lifeMs }: NewAuthorization): Promise<string> {
    const found = await manager.query<object[]>(HOLD_APP, [appId]);
    if (found.length === 0) throw new SettleError('invalid_request', 'This app is not there any more.');
    const id = randomUUID();
    await manager.query(BEGIN, [id, appId, userId, scopes, lifeMs]);
    return id;
  }

  /**
   * Ends them and revokes what hangs on them. Resolves once every gateway has been told. Error: `outcome_unknown`
   * when that takes too long; it is stored all the same.
   */
  async end(which: EndedAuthorizations): Promise<void> {
    let ended: EndedBatch;
    do {
      ended = await this.dataSource.transaction((manager) => this.endWithin(manager, which));
      this.#log(which, ended.count);
      await this.revocations.tell(ended.tokenSha256s);
    } while (ended.count === BATCH_ROWS);
  }

  /** The same within a transaction, at most a thousand of them; afterwards the tokens are to be told of. */
  async endWithin(manager: EntityManager, which: EndedAuthorizations): Promise<EndedBatch> {
    const { id = null, appId = null, userId = null } = named(which);
    const ids = await returned<{ id: string }>(manager, END, [id, appId, userId]);
    const revoked = await returned<{ sha256: string }>(manager, REVOKE_TOKENS, [ids.map((row) => row.id)]);
    return { count: ids.length, tokenSha256s: revoked.map((row) => row.sha256) };
  }

  /**
   * Lets the access tokens that are there end within a minute, within the transaction of a refresh: requests under way
   * still use them. Called before the new one is issued.
   */
  async endFormerTokens(manager: EntityManager, authorizationId: string): Promise<void> {
    await manager.query(END_FORMER_TOKENS, [authorizationId, LIMITS.auth.formerTokenMs]);
  }

  #log(which: EndedAuthorizations, count: number): void {
    if (count === 0) return;
    const { id: authorizationId, appId, userId } = named(which);
    this.security.write('tokens_revoked', { userId, appId, authorizationId, count });
  }
}

function named(which: EndedAuthorizations): Partial<Record<'id' | 'appId' | 'userId', string>> {
  return which;
}

interface EndedBatch {
  readonly count: number;
  /** In hex. */
  readonly tokenSha256s: readonly string[];
}

/** TypeORM answers an update with its rows and their number. */
async function returned<Row>(manager: EntityManager, statement: string, values: unknown[]): Promise<Row[]> {
  const [rows] = await manager.query<[Row[], number]>(statement, values);
  return rows;
}
