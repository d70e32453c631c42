import { EventStoreDbStandIn, freePort, startStack } from '@settle/testing';
import { startEmbedded } from './embedded-product.js';
import type { Product, ProductOptions } from './product.js';

const STARTS = { embedded: startEmbedded, stack: startOnStack, 'stack-eventstoredb': startOnEventStoreDb } as const;

export type Shape = keyof typeof STARTS;

/** The product listens on loopback, with the demo data and without limits on requests and on money from a source. */
const UNDER_TEST = {
  NODE_ENV: 'development',
  DEMO: 'true',
  LOG_LEVEL: 'error',
  RATE_LIMITS: 'off',
  SOURCE_AMOUNT_PER_DAY: '99999999',
  TRUSTED_PROXIES: '1',
};

/**
 * Starts the built product in one of its shapes, and waits until it is ready.
 * @param port null for a free one; the same port at every start keeps addresses the same
 * @param env settings in addition to those of every product under test
 */
export async function startShape(
  shape: Shape,
  {
    port = null,
    env = {},
    ...more
  }: Omit<ProductOptions, 'port' | 'env'> & {
    readonly port?: number | null;
    readonly env?: ProductOptions['env'];
  },
): Promise<Product> {
  const listens = port ?? (await freePort());
  const publicUrl = { PUBLIC_URL: `http://127.0.0.1:${listens}` };
  return STARTS[shape]({ ...more, port: listens, env: { ...UNDER_TEST, ...publicUrl, ...env } });
}

/** Starts several instances of each service, so that each must know what another one has responded. */
async function startOnStack(options: ProductOptions): Promise<Product> {
  const stack = await startStack({ counts: { gateways: 2, payments: 3 }, ...options });
  return { baseUrl: `${stack.url}/v1`, stop: async () => void (await stack.stop()), kill: () => stack.kill() };
}

async function startOnEventStoreDb({ env, ...options }: ProductOptions): Promise<Product> {
  const eventStore = await EventStoreDbStandIn.start();
  const place = { EVENT_STORE: 'eventstoredb', EVENTSTORE_URL: eventStore.url };
  try {
    const product = await startOnStack({ ...options, env: { ...env, ...place } });
    const stop = () => product.stop().finally(() => eventStore.stop());
    return { ...product, stop };
  } catch (error) {
    await eventStore.stop();
    throw error;
  }
}
