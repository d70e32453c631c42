import type { Metrics } from '@settle/observability';
import type { FastifyInstance } from 'fastify';

/** Measures every request that has a readable URL, answered or aborted. To be called before any other hook is added. */
export function measureRequests(server: FastifyInstance, metrics: Metrics): void {
  const latencies = metrics.latencies('httpRequestSeconds');
  let inProgress = 0;
  metrics.show('httpRequestsInProgress', () => inProgress);
  server.addHook('onRequest', (request, { raw }, done) => {
    const beganAtMs = performance.now();
    inProgress += 1;
    // Comes for aborted requests as well, which Fastify's own onResponse does not.
    raw.once('close', () => {
      inProgress -= 1;
      const status = raw.writableFinished ? `${Math.floor(raw.statusCode / 100)}xx` : 'aborted';
      const seconds = (performance.now() - beganAtMs) / 1_000;
      const { url = 'none' } = request.routeOptions;
      // A caller could else make up a method for each address that is not there.
      if (request.is404) latencies.of('none', 'any', status).observe(seconds);
      else latencies.of(url, request.method, status).observe(seconds);
    });
    done();
  });
}
