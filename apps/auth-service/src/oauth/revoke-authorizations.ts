import type { DataSource, EntityManager } from 'typeorm';

/** Selects one authorization, all of an app, all that a user granted to an app, or all that a user granted. */
export type AuthorizationFilter =
  | { readonly id: string; readonly appId: string; readonly userId: string }
  | { readonly appId: string }
  | { readonly appId: string; readonly userId: string }
  | { readonly userId: string };

/** The fields of any filter; an absent one matches every authorization. */
export type AuthorizationKeys = Partial<Record<'id' | 'appId' | 'userId', string>>;

export interface RevokedBatch {
  readonly count: number;
  /** SHA-256 of the revoked access tokens, in hex. */
  readonly tokenSha256s: readonly string[];
  /** Whether more authorizations may match. */
  readonly isFull: boolean;
}

/** Rows are locked in one order, so that two revocations never deadlock. */
const BATCH_ROWS = 1_000;
const END = `
  update authorizations set revoked_at = now() where id in (
    select id from authorizations
    where ($1::uuid is null or id = $1) and ($2::text is null or app_id = $2) and ($3::bigint is null or user_id = $3)
      and revoked_at is null
    order by id limit ${BATCH_ROWS} for update)
  returning id`;
/** A separate statement, because it must see the tokens that the previous holder of the lock issued. */
const REVOKE_TOKENS = `
  update tokens set revoked_at = now()
  where authorization_id = any($1) and (revoked_at is null or revoked_at > now())
  returning encode(sha256, 'hex') as sha256`;

/**
 * Revokes at most a thousand matching authorizations with their tokens, within the caller's transaction. auth-service
 * then publishes the tokens to the gateways.
 */
export async function revokeAuthorizations(manager: EntityManager, filter: AuthorizationFilter): Promise<RevokedBatch> {
  const { id, appId, userId }: AuthorizationKeys = filter;
  const ids = await queryReturning<{ id: string }>(manager, END, [id, appId, userId]);
  const revoked = await queryReturning<{ sha256: string }>(manager, REVOKE_TOKENS, [ids.map((row) => row.id)]);
  return {
    count: ids.length,
    tokenSha256s: revoked.map((row) => row.sha256),
    isFull: ids.length === BATCH_ROWS,
  };
}

/** Revokes every matching authorization, each batch in a transaction. */
export async function* revokeInBatches(
  dataSource: DataSource,
  filter: AuthorizationFilter,
): AsyncGenerator<RevokedBatch, void> {
  let batch: RevokedBatch;
  do {
    batch = await dataSource.transaction((manager) => revokeAuthorizations(manager, filter));
    yield batch;
  } while (batch.isFull);
}

/** Returns the rows of an update: TypeORM returns them with their number. */
async function queryReturning<Row>(manager: EntityManager, statement: string, values: unknown[]): Promise<Row[]> {
  const [rows] = await manager.query<[Row[], number]>(statement, values);
  return rows;
}
