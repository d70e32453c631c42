import type { AddressInfo } from 'node:net';
import { MAX_BODY_BYTES } from '@settle/provider-api';
import type { Checks } from '@settle/lifecycle';
import type { Logger } from '@settle/observability';
import { checkSchema, createDatabaseCheck, createPool, databaseFailures } from '@settle/postgres';
import fastify, { type FastifyInstance } from 'fastify';
import { Books } from './books/books.js';
import { dueStepsTask } from './books/due-steps.js';
import { callbackTask } from './callbacks/callback-sender.js';
import { addApiRoutes } from './http/api-routes.js';
import { requireSignatures } from './http/signed-requests.js';
import { addPageRoutes } from './pages/page-routes.js';
import type { ProviderSettings } from './provider-settings.js';
import { PROVIDER_SCHEMA } from './storage/provider-schema.js';

const POOL_CONNECTIONS = 8;
const REQUEST_TIMEOUT_MS = 10_000;
const MAX_KEY_LENGTH = 200;

export interface ReferenceProviderOptions {
  readonly settings: ProviderSettings;
  readonly databaseUrl: string;
  readonly logger: Logger;
  /** Time in ms since 1970; absent: the clock of the machine. */
  readonly now?: () => number;
}

export interface ReferenceProvider {
  /** Where the interface is, without a slash at the end. */
  readonly url: string;
  readonly checks: Checks;
  /** Completes requests in progress, and stops. */
  close(): Promise<void>;
}

/** Serves the interface and the pages until it is closed. Rejects when its database is not migrated. */
export async function startReferenceProvider(options: ReferenceProviderOptions): Promise<ReferenceProvider> {
  const { settings, databaseUrl, logger, now = Date.now } = options;
  const { host, port, secrets, callbackUrl, laterMs } = settings;
  const pool = createPool(databaseUrl, { max: POOL_CONNECTIONS, name: 'reference-provider' });
  const books = new Books({ pool, now, laterMs, hasCallbacks: callbackUrl !== null });
  const server = createServer(logger);
  const tasks = [dueStepsTask(books, logger)];
  if (callbackUrl !== null) tasks.push(callbackTask({ pool, now, url: callbackUrl, secrets, logger }));
  const url = () =>
    `http://${host.includes(':') ? `[${host}]` : host}:${(server.server.address() as AddressInfo).port}`;
  const close = async (): Promise<void> => {
    await server.close();
    await Promise.all(tasks.map((task) => task.stop()));
    await pool.end();
  };
  try {
    await checkSchema(PROVIDER_SCHEMA, pool);
    const pagesUrl = () => settings.pagesUrl ?? url();
    await server.register(async (scope) => {
      requireSignatures(scope, secrets, now);
      addApiRoutes(scope, { books, pool, now, laterMs, pagesUrl });
    });
    await server.register(async (scope) => addPageRoutes(scope, { books, now }));
    await server.listen({ host, port });
    for (const task of tasks) task.start();
    return { url: url(), checks: { postgres: createDatabaseCheck(databaseUrl) }, close };
  } catch (error) {
    await close();
    throw error;
  }
}

function createServer(logger: Logger): FastifyInstance {
  const server = fastify({
    bodyLimit: MAX_BODY_BYTES,
    requestTimeout: REQUEST_TIMEOUT_MS,
    forceCloseConnections: 'idle',
    routerOptions: { maxParamLength: MAX_KEY_LENGTH },
  });
  // Not `not_found`, which says that a key was never used: a caller with a wrong base address must not believe that.
  server.setNotFoundHandler((_request, reply) =>
    reply.code(404).send({ error: { code: 'invalid_request', message: 'There is no such address.' } }),
  );
  server.setErrorHandler((error: Error & { statusCode?: number }, _request, reply) => {
    const { statusCode = 500 } = error;
    if (statusCode < 500)
      return reply.code(statusCode).send({ error: { code: 'invalid_request', message: error.message } });
    databaseFailures.record(error);
    logger.error({ err: error }, 'a request failed');
    return reply.code(500).send({ error: { code: 'internal_error', message: 'Send the request again.' } });
  });
  return server;
}
