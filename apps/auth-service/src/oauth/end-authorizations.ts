import type { EntityManager } from 'typeorm';

/** Which authorizations are to end: one, all of an app, all that one user gave an app, or gave at all. */
export type EndedAuthorizations =
  | { readonly id: string; readonly appId: string; readonly userId: string }
  | { readonly appId: string }
  | { readonly appId: string; readonly userId: string }
  | { readonly userId: string };

export interface EndedBatch {
  readonly count: number;
  /** In hex. */
  readonly tokenSha256s: readonly string[];
  /** Whether there may be more to end. */
  readonly isFull: boolean;
}

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

/**
 * Ends authorizations and revokes what hangs on them, within a transaction, at most a thousand of them. auth-service then
 * publishes the tokens to the gateways.
 */
export async function endAuthorizations(manager: EntityManager, which: EndedAuthorizations): Promise<EndedBatch> {
  const { id = null, appId = null, userId = null } = namedIn(which);
  const ids = await returned<{ id: string }>(manager, END, [id, appId, userId]);
  const revoked = await returned<{ sha256: string }>(manager, REVOKE_TOKENS, [ids.map((row) => row.id)]);
  return {
    count: ids.length,
    tokenSha256s: revoked.map((row) => row.sha256),
    isFull: ids.length === BATCH_ROWS,
  };
}

/** Returns what `which` names; absent: any. */
export function namedIn(which: EndedAuthorizations): Partial<Record<'id' | 'appId' | 'userId', string>> {
  return which;
}

/** TypeORM answers an update with its rows and their number. */
async function returned<Row>(manager: EntityManager, statement: string, values: unknown[]): Promise<Row[]> {
  const [rows] = await manager.query<[Row[], number]>(statement, values);
  return rows;
}
