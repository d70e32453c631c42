import { AsyncLocalStorage } from 'node:async_hooks';
import type { FastifyInstance } from 'fastify';

const requestIds = new AsyncLocalStorage<string>();

/** Keeps the id that the gateway gave a request for whatever is done to answer it. */
export function keepRequestIds(server: FastifyInstance): void {
  // After the body was read: what its stream calls would not find the id.
  server.addHook('preHandler', ({ headers }, _reply, done) => {
    const { 'x-request-id': id } = headers;
    if (typeof id === 'string') requestIds.run(id, done);
    else done();
  });
}

/** The id of the request that is being answered; undefined outside of one. */
export function currentRequestId(): string | undefined {
  return requestIds.getStore();
}
