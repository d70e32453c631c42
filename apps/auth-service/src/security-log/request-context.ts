// eslint-disable-next-line no-restricted-syntax -- Enabled only while a request for a page or a token is in progress, so that payments do not pay for it.
import { AsyncLocalStorage } from 'node:async_hooks';
import type { FastifyInstance } from 'fastify';

/** The current HTTP request of auth-service. */
export interface RequestContext {
  /** As the gateway sent it; undefined if the request did not come through a gateway. */
  readonly requestId: string | undefined;
  /** The client's IP address, as the gateway determined it with `TRUSTED_PROXIES`. */
  readonly address: string;
  /** The `User-Agent` header; undefined if the client sent none. */
  readonly userAgent: string | undefined;
}

const contexts = new AsyncLocalStorage<RequestContext>();
let activeRequests = 0;

/** Makes each request's context available to the code that handles the request. */
export function addRequestContexts(server: FastifyInstance): void {
  // After the body is read, because callbacks of its stream do not see the context.
  server.addHook('preHandler', ({ headers, ip }, { raw }, done) => {
    const { 'x-request-id': id, 'user-agent': userAgent } = headers;
    activeRequests += 1;
    raw.once('close', endRequest);
    contexts.run({ requestId: typeof id === 'string' ? id : undefined, address: ip, userAgent }, done);
  });
}

/** Disables the store while unused, for the payments of the same process (docs/adr/0016-spans-by-hand.md). */
function endRequest(): void {
  activeRequests -= 1;
  if (activeRequests === 0) contexts.disable();
}

/** Returns the context of the current request, or undefined outside of a request. */
export function getCurrentRequest(): RequestContext | undefined {
  return contexts.getStore();
}
