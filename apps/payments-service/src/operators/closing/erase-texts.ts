import { inTransaction } from '@settle/postgres';
import type { Pool, PoolClient } from 'pg';
import { PROJECTION, readCheckpoint } from '../../projection/checkpoints.js';
import { ENVIRONMENT_STORAGE } from '../../storage/environments.js';

const DESTROY_KEY = `
  insert into data_keys as k (user_id, destroyed_at) values ($1, now())
  on conflict (user_id) do update set wrapped = null, wrapped_with = null, destroyed_at = coalesce(k.destroyed_at, now())`;

/** Other users' payments to the user whose rows have an address: the key of their texts stays. */
const markAddresses = (schema: string) => `
  insert into erased_addresses
  select p.id from ${schema}.payments p where p.target_address <> '' and p.actor_id <> $1 and (p.target_user_id = $1
    or (p.target_type, p.target_key) in (select kind, value from known_addresses where user_id = $1))
  on conflict do nothing`;
/** As the projector writes rows from now on. */
const eraseAddresses = (schema: string) => `
  update ${schema}.payments p set target_address = '', target_key = left(target_key, 0)
  from public.erased_addresses e where p.id = e.payment_id and p.target_address <> ''`;
/** @param authors an SQL condition on an id */
const eraseWritten = (schema: string, authors: string) => `
  update ${schema}.payments set note = '', target_address = left(target_address, 0), target_key = left(target_key, 0)
  where actor_id ${authors} and (note <> '' or target_address <> '')`;
const OF_CLOSED = 'in (select user_id from public.data_keys where destroyed_at is not null)';

const deleteOwnAnswers = (schema: string) => `delete from ${schema}.idempotency_keys where user_id = $1`;
/** Another user's key stays; its response is made again, when it is asked for. */
const forgetAnswers = (schema: string) => `
  update ${schema}.idempotency_keys set answer = null
  where position($1 in answer::text) > 0 or payment_id in (select payment_id from erased_addresses)`;
/** The card or account stays one that no other user may add: its fingerprint names no one. */
const DELETE_SOURCES = 'delete from funding_sources where user_id = $1';

const SCHEMAS = Object.values(ENVIRONMENT_STORAGE).map(({ schema }) => schema);

/**
 * Destroys the key of a user's texts, and erases them, and the user's addresses, from the read models and the kept
 * responses of both environments, in one transaction. A repetition erases nothing more. Errors: the database's.
 * @param pool sees the live tables
 */
export function eraseTexts(pool: Pool, userId: string): Promise<void> {
  return inTransaction(pool, async (client) => {
    await client.query(DESTROY_KEY, [userId]);
    for (const schema of SCHEMAS) {
      await client.query(markAddresses(schema), [userId]);
      await client.query(eraseAddresses(schema));
      await client.query(eraseWritten(schema, '= $1'), [userId]);
      await client.query(deleteOwnAnswers(schema), [userId]);
      await client.query(forgetAnswers(schema), [`"${userId}"`]);
    }
    await client.query(DELETE_SOURCES, [userId]);
    await notifyInstances(client);
  });
}

/**
 * Erases from the payments of a schema what was erased before: they may have been computed from events earlier, while their author's key
 * was still there. Errors: the database's.
 */
export async function eraseTextsAgain(client: PoolClient, schema: string): Promise<void> {
  await client.query(eraseAddresses(schema));
  await client.query(eraseWritten(schema, OF_CLOSED));
}

/** They may keep what they have read. */
async function notifyInstances(client: PoolClient): Promise<void> {
  for (const { progressChannel, schema } of Object.values(ENVIRONMENT_STORAGE)) {
    const position = await readCheckpoint(client, PROJECTION, schema);
    await client.query('select pg_notify($1, $2)', [progressChannel, String(position)]);
  }
}
