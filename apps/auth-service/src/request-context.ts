// eslint-disable-next-line no-restricted-syntax -- On only while a page or a token is asked for, so that payments do not pay for it.
import { AsyncLocalStorage } from 'node:async_hooks';
import type { FastifyInstance } from 'fastify';

/** The HTTP request that auth-service is answering. */
export interface RequestContext {
  /** As the gateway gave it; undefined where the request did not come through a gateway. */
  readonly requestId: string | undefined;
  /** The client's IP address, as the gateway saw it after `TRUSTED_PROXIES`. */
  readonly address: string;
  /** The `User-Agent` header; undefined where the client sent none. */
  readonly userAgent: string | undefined;
}

const contexts = new AsyncLocalStorage<RequestContext>();
let inProgress = 0;

/** Keeps each request's context for the code that answers it. */
export function keepRequestContexts(server: FastifyInstance): void {
  // After the body was read: what its stream calls would not find the context.
  server.addHook('preHandler', ({ headers, ip }, { raw }, done) => {
    const { 'x-request-id': id, 'user-agent': userAgent } = headers;
    inProgress += 1;
    raw.once('close', endOne);
    contexts.run({ requestId: typeof id === 'string' ? id : undefined, address: ip, userAgent }, done);
  });
}

/** Payments of the same process are not to pay for what only sign-in and tokens need (docs/adr/0016-spans-by-hand.md). */
function endOne(): void {
  inProgress -= 1;
  if (inProgress === 0) contexts.disable();
}

/** Returns the request that is being answered; undefined outside of one. */
export function currentRequest(): RequestContext | undefined {
  return contexts.getStore();
}
