import { randomUUID } from 'node:crypto';
import { LIMITS } from '@settle/config';
import { readContradiction } from '../../funding/contradictions.js';
import { ProviderHints } from '../../provider/provider-hints.js';
import { PATHS, type ProviderKind } from '../../provider/provider-objects.js';
import { DONE } from '../run-command.js';
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
 * provider is set, or it does not answer for the object.
 */
export async function applyAgain(
  place: FundingPlace,
  { key, isConfirmed }: ProviderOrder,
  open: typeof openProvider,
): Promise<number> {
  const { pool, clock, say } = place;
  const { kind, version } = await findObject(place, key, open);
  say(`${kind} ${key}: apply the provider's version ${version} again`);
  if (!isConfirmed) {
    say(DRY_RUN);
    return DONE;
  }
  const id = `operator:${randomUUID()}`;
  await new ProviderHints(pool, clock).store(id, { kind, key, version, changed_at: new Date().toISOString() });
  // Nothing wakes the product: it looks for callbacks of others at this interval.
  const outcomeWaitMs = place.outcomeWaitMs + LIMITS.provider.changesEveryMs;
  const isHandled = await awaitProduct({ ...place, outcomeWaitMs }, async () => {
    const { rows } = await pool.query('select from provider_hints where id = $1 and handled_at is null', [id]);
    return rows.length === 0;
  });
  if (!isHandled) return DONE;
  say(
    (await wasGivenUp(place, key))
      ? `${key}: applied. Write "npm run funding -- contradiction close ${key}"`
      : `${key}: contradicts the ledger in another way by now: "npm run funding -- pending" says which`,
  );
  return DONE;
}

/** Errors: the provider does not answer, or has nothing under the key. */
async function findObject(place: FundingPlace, key: string, open: typeof openProvider) {
  const { provider, close } = open(place);
  try {
    return await readAnyKind(provider, key);
  } finally {
    await close();
  }
}

async function readAnyKind(provider: AskedProvider, key: string) {
  for (const kind of KINDS) {
    const object = await provider.read(kind, key);
    if (object === 'unknown') {
      throw new Error(`The provider does not answer for the key ${key}: ask its support, then run the command again`);
    }
    if (object !== 'missing') return { kind, version: object.version };
  }
  throw new Error(`The provider has nothing under the key ${key}: settle it with its support`);
}
