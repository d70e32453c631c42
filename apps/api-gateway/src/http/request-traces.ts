import { startTrace } from '@settle/observability';
import type { FastifyInstance, FastifyRequest } from 'fastify';

/** Gives every request a span, below the caller's if it names one. Call it before routes are added. */
export function traceRequests(server: FastifyInstance): void {
  server.addHook('onRequest', (request, { raw }, done) => {
    const { traceparent } = request.headers;
    const span = startTrace(typeof traceparent === 'string' ? traceparent : undefined, () => described(request));
    if (span !== null) {
      request.traceparent = span.traceparent;
      // Also emitted for aborted requests, unlike Fastify's onResponse.
      raw.once('close', () => span.end(raw.writableFinished ? { 'http.response.status_code': raw.statusCode } : {}));
    }
    done();
  });
}

function described(request: FastifyRequest) {
  // Bounds the attribute values: a caller could invent methods for unknown paths.
  const { method, route } = request.is404
    ? { method: 'any', route: 'none' }
    : { method: request.method, route: request.routeOptions.url ?? 'none' };
  return {
    name: `${method} ${route}`,
    attributes: { 'http.request.method': method, 'http.route': route, 'settle.request_id': request.id },
  };
}
