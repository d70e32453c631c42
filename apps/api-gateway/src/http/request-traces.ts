import { beginTrace } from '@settle/observability';
import type { FastifyInstance } from 'fastify';

/** Gives every request a span, below the caller's if it names one. To be called before routes are added. */
export function traceRequests(server: FastifyInstance): void {
  server.addHook('onRequest', (request, { raw }, done) => {
    // A caller could else make up a method for each address that is not there.
    const { method, route } = request.is404
      ? { method: 'any', route: 'none' }
      : { method: request.method, route: request.routeOptions.url ?? 'none' };
    const { traceparent } = request.headers;
    const span = beginTrace(`${method} ${route}`, {
      kind: 'server',
      parent: typeof traceparent === 'string' ? traceparent : undefined,
      attributes: { 'http.request.method': method, 'http.route': route, 'settle.request_id': request.id },
    });
    if (span !== null) {
      request.traceparent = span.traceparent;
      // Comes for aborted requests as well, which Fastify's own onResponse does not.
      raw.once('close', () => span.end(raw.writableFinished ? { 'http.response.status_code': raw.statusCode } : {}));
    }
    done();
  });
}
