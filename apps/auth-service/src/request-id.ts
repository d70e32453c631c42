// eslint-disable-next-line no-restricted-syntax -- On only while a page or a token is asked for, so that payments do not pay for it.
import { AsyncLocalStorage } from 'node:async_hooks';
import type { FastifyInstance } from 'fastify';

const requestIds = new AsyncLocalStorage<string>();
let inProgress = 0;

/** Keeps the id that the gateway gave a request for whatever is done to answer it. */
export function keepRequestIds(server: FastifyInstance): void {
  // After the body was read: what its stream calls would not find the id.
  server.addHook('preHandler', ({ headers }, { raw }, done) => {
    const { 'x-request-id': id } = headers;
    if (typeof id !== 'string') return done();
    inProgress += 1;
    raw.once('close', endOne);
    requestIds.run(id, done);
  });
}

/** Payments of the same process are not to pay for what only sign-in and tokens need (docs/adr/0016-spans-by-hand.md). */
function endOne(): void {
  inProgress -= 1;
  if (inProgress === 0) requestIds.disable();
}

/** The id of the request that is being answered; undefined outside of one. */
export function currentRequestId(): string | undefined {
  return requestIds.getStore();
}
