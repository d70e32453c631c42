import { randomUUID } from 'node:crypto';
import { LIMITS } from '@settle/config';
import type { Pool } from 'pg';
import { readContradiction } from '../../funding/contradictions.js';
import { ProviderHints, type ProviderHint } from '../../provider/provider-hints.js';
import { PATHS, type ProviderKind } from '../../provider/provider-objects.js';
import type { ProviderOrder } from './funding-arguments.js';
import { DRY_RUN, awaitProduct, type FundingPlace } from './funding-place.js';
import type { AskedProvider, openProvider } from './open-provider.js';

const KINDS = Object.keys(PATHS) as readonly ProviderKind[];

/** Returns whether a change of the provider's object under this key was given up. Errors: the store's. */
export async function wasGivenUp({ store }: Pick<FundingPlace, 'store'>, key: string): Promise<boolean> {
  const { state } = await readContradiction(store, key);
  return state.status === 'open' && state.contradiction === 'not_applied';
}

/**
 * Has the running product apply an object of the provider whose change was given up, as a callback does. Errors: no
 * provider is set, or it gives no readable answer for the key.
 */
export async function applyAgain(
  place: FundingPlace,
  { key, isConfirmed }: ProviderOrder,
  open: typeof openProvider,
): Promise<void> {
  const { pool, clock, say } = place;
  const found = await findObjects(place, key, open);
  for (const { kind, version } of found) say(`${kind} ${key}: apply the provider's version ${version} again`);
  if (!isConfirmed) return say(DRY_RUN);
  const hints = new ProviderHints(pool, clock);
  for (const { id, ...change } of found) await hints.store(id, { ...change, changed_at: new Date().toISOString() });
  const ids = found.map(({ id }) => id);
  // Nothing wakes the product: it looks for callbacks of others at this interval.
  const outcomeWaitMs = place.outcomeWaitMs + LIMITS.provider.changesEveryMs;
  const isOver = await awaitProduct({ ...place, outcomeWaitMs }, async () => (await count(pool, ids, false)) === 0);
  if (isOver) say(await describeOutcome(place, key, (await count(pool, ids, true)) === ids.length));
}

async function describeOutcome({ store }: FundingPlace, key: string, isApplied: boolean): Promise<string> {
  if (!isApplied) return `${key}: it could not be applied, for a reason that the log of payments-service names`;
  const { state } = await readContradiction(store, key);
  if (state.status !== 'open') return `${key}: applied`;
  return state.contradiction === 'not_applied'
    ? `${key}: applied. Write "npm run funding -- contradiction close ${key}"`
    : `${key}: it contradicts the ledger (${state.contradiction}), so nothing was moved`;
}

/** Returns how many of these hints wait, or were applied. One that was given up is removed. */
async function count(pool: Pool, ids: readonly string[], isHandled: boolean): Promise<number> {
  const { rowCount } = await pool.query(
    'select from provider_hints where id = any ($1::text[]) and (handled_at is not null) = $2',
    [ids, isHandled],
  );
  return rowCount ?? 0;
}

/** Errors: the provider gives no readable answer, or has nothing under the key. */
async function findObjects(place: FundingPlace, key: string, open: typeof openProvider): Promise<ProviderHint[]> {
  const { provider, close } = open(place);
  try {
    return await readEachKind(provider, key);
  } finally {
    await close();
  }
}

/** Objects of several kinds may have one key: it does not say which was given up. */
async function readEachKind(provider: AskedProvider, key: string): Promise<ProviderHint[]> {
  const found: ProviderHint[] = [];
  const unreadable: ProviderKind[] = [];
  for (const kind of KINDS) {
    const object = await provider.read(kind, key);
    if (object === 'unknown') unreadable.push(kind);
    else if (object !== 'missing') found.push({ id: `operator:${randomUUID()}`, kind, key, version: object.version });
  }
  if (unreadable.length > 0) {
    const what = unreadable.join(', ');
    throw new Error(`The provider gives no readable answer about ${key} (${what}): ask its support, then try again`);
  }
  if (found.length > 0) return found;
  throw new Error(`The provider has nothing under the key ${key}: settle it with its support`);
}
