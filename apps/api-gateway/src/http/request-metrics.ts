import type { Metrics } from '@settle/observability';
import type { FastifyInstance } from 'fastify';

/** Measures every request with a readable URL, completed or aborted. Call it before any other hook is added. */
export function measureRequests(server: FastifyInstance, metrics: Metrics): void {
  const latencies = metrics.latencies('httpRequestSeconds');
  let inProgress = 0;
  metrics.register('httpRequestsInProgress', () => inProgress);
  server.addHook('onRequest', (request, { raw }, done) => {
    const beganAtMs = performance.now();
    inProgress += 1;
    // Also emitted for aborted requests, unlike Fastify's onResponse.
    raw.once('close', () => {
      inProgress -= 1;
      const status = raw.writableFinished ? `${Math.floor(raw.statusCode / 100)}xx` : 'aborted';
      const seconds = (performance.now() - beganAtMs) / 1_000;
      const { url = 'none' } = request.routeOptions;
      // Bounds the label values: a caller could invent methods for unknown paths.
      if (request.is404) latencies.of('none', 'any', status).observe(seconds);
      else latencies.of(url, request.method, status).observe(seconds);
    });
    done();
  });
}
