import { createServer } from 'node:net';
import { EventStoreDbStandIn, startStack } from '@settle/testing';
import { startEmbedded } from './embedded-product.js';
import type { Product, ProductOptions } from './product.js';

const STARTS = { embedded: startEmbedded, stack: startOnStack, 'stack-eventstoredb': startOnEventStoreDb } as const;

export type Shape = keyof typeof STARTS;

/** On loopback, with the demo data and without rate limits. */
const UNDER_TEST = {
  NODE_ENV: 'development',
  DEMO: 'true',
  LOG_LEVEL: 'error',
  RATE_LIMITS: 'off',
  TRUSTED_PROXIES: '1',
};

/**
 * Starts the built product in one of its shapes, and waits until it is ready.
 * @param port the same at every start keeps addresses the same; null draws a free one
 * @param env settings beside those that every product under test gets
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

/** Several of whatever can be several, so that what one answers another has to know. */
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

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('No port is free.');
  return address.port;
}
