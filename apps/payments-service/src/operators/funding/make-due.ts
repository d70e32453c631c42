import { isId } from '@settle/contracts';
import type { Pool } from 'pg';
import { DONE } from '../run-command.js';
import { DRY_RUN, awaitProduct, type FundingPlace } from './funding-place.js';
import { applyAgain, wasGivenUp } from './apply-again.js';
import type { ProviderOrder } from './funding-arguments.js';
import { openProvider } from './open-provider.js';
import { isoTime } from '../iso-time.js';

/** Work that the running product does next when it is due. */
interface WaitingWork {
  readonly kind: string;
  readonly id: string;
  /** When the product looks at it next, in microseconds since 1970. */
  readonly dueUs: number;
}

/** Long enough ago for every waiting time. */
const LONG_DUE_US = 0;

/**
 * Makes the next request to the provider due, or has a change applied that was given up. Errors: nothing waits under
 * the key; those of `applyAgain`.
 * @param open absent: connects to the provider of the settings
 */
export async function askProviderSoon(place: FundingPlace, order: ProviderOrder, open = openProvider): Promise<number> {
  const { key, isConfirmed } = order;
  if (await wasGivenUp(place, key)) {
    await applyAgain(place, order, open);
    if ((await readWork(place.pool, key)).length === 0) return DONE;
  }
  const work = await findWork(place.pool, key);
  for (const { kind, id } of work) place.say(`${kind} ${id}: ask the provider now, or finish it`);
  if (isConfirmed) return makeDue(place, key);
  place.say(DRY_RUN);
  return DONE;
}

/** Makes the work under a key due, waits until the product has processed it, and reports what is left of it. */
export async function makeDue(place: FundingPlace, key: string): Promise<number> {
  const { pool, say, clock } = place;
  const nowUs = clock.nowUs();
  await pool.query(`update funding set due_us = $2 where id = $1 and act in ('ask', 'finish') and due_us > $2`, [
    key,
    nowUs,
  ]);
  await pool.query(`update open_work set since_us = $2 where payment_id = $1 and act = 'funding'`, [
    paymentIdOf(key),
    LONG_DUE_US,
  ]);
  const isFinished = await awaitProduct(place, async () =>
    (await readWork(pool, key)).every(({ dueUs }) => dueUs > nowUs),
  );
  if (!isFinished) return DONE;
  const left = await readWork(pool, key);
  for (const { kind, id, dueUs } of left) {
    say(`${kind} ${id}: the provider was asked and has not decided; it is asked again at ${isoTime(dueUs)}`);
  }
  if (left.length === 0) say(`${key}: finished`);
  return DONE;
}

/** Returns the work under a key. Error: there is none, or it waits for an operator. */
async function findWork(pool: Pool, key: string): Promise<readonly WaitingWork[]> {
  const work = await readWork(pool, key);
  if (work.length > 0) return work;
  const { rows } = await pool.query<{ kind: string }>(`select kind from funding where id = $1 and act = 'review'`, [
    key,
  ]);
  const [waiting] = rows;
  if (waiting !== undefined) throw new Error(`The ${waiting.kind} ${key} waits for an operator, not for the provider`);
  throw new Error(`Nothing waits under the key ${key}: "npm run funding -- pending" lists the keys`);
}

async function readWork(pool: Pool, key: string): Promise<WaitingWork[]> {
  const { rows } = await pool.query<WaitingWork>(
    `select kind, id, due_us::float8 as "dueUs" from funding where id = $1 and act in ('ask', 'finish')
      union all select 'payment', payment_id::text, since_us::float8 from open_work where payment_id = $2 and act = 'funding'`,
    [key, paymentIdOf(key)],
  );
  return rows;
}

/** Returns the payment of a charge's or a repayment's key, or of its own id; null if the key is of no payment. */
function paymentIdOf(key: string): string | null {
  const [id = ''] = key.split(':', 1);
  return isId(id) ? id : null;
}
