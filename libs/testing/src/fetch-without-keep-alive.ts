/**
 * Lets each request of a spec end its connection. A server that stops gives clients with idle connections a second for one
 * more request (`LIMITS.drain.idleWaitMs`), which every spec that stops a server would wait for.
 */
const { fetch: fetchAndKeep } = globalThis;

globalThis.fetch = (input, init) => {
  const headers = new Headers(init?.headers ?? (input instanceof Request ? input.headers : undefined));
  if (!headers.has('connection')) headers.set('connection', 'close');
  return fetchAndKeep(input, { ...init, headers });
};
