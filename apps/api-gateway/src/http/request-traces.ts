import { beginSpan, withinSpan } from '@settle/observability';
import type { FastifyInstance, FastifyRequest } from 'fastify';

type Span = NonNullable<ReturnType<typeof beginSpan>>;

/** Gives every request a span, below the caller's if it names one. To be called before routes are added. */
export function traceRequests(server: FastifyInstance): void {
  const spans = new WeakMap<FastifyRequest, Span>();
  server.addHook('onRequest', (request, { raw }, done) => {
    // A caller could else make up a method for each address that is not there.
    const { method, route } = request.is404
      ? { method: 'any', route: 'none' }
      : { method: request.method, route: request.routeOptions.url ?? 'none' };
    const { traceparent } = request.headers;
    const span = beginSpan(`${method} ${route}`, {
      kind: 'server',
      parent: typeof traceparent === 'string' ? traceparent : undefined,
      attributes: { 'http.request.method': method, 'http.route': route, 'settle.request_id': request.id },
    });
    if (span !== null) {
      spans.set(request, span);
      // Comes for aborted requests as well, which Fastify's own onResponse does not.
      raw.once('close', () => span.end(raw.writableFinished ? { 'http.response.status_code': raw.statusCode } : {}));
    }
    done();
  });
  // Not earlier: what reads the body goes on in a place of its own.
  server.addHook('preHandler', (request, _reply, done) => {
    const span = spans.get(request);
    if (span === undefined) done();
    else withinSpan(span, done);
  });
}
