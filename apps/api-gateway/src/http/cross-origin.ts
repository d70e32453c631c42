import type { FastifyInstance } from 'fastify';

const API_PREFIX = '/v1/';
const ONE_HOUR_S = 3_600;

const EXPOSED_HEADERS =
  'x-request-id, retry-after, ratelimit-limit, ratelimit-remaining, ratelimit-reset, idempotent-replayed';

/** Headers of the response to a preflight; `Allow` and the actual response have the rest. */
const PREFLIGHT_HEADERS = {
  'access-control-allow-methods': 'GET, HEAD, POST, PUT, DELETE',
  'access-control-allow-headers': 'authorization, content-type, idempotency-key',
  'access-control-max-age': String(ONE_HOUR_S),
} as const;

/** Lets scripts of these origins call the API, never with cookies. Preflights are OPTIONS requests like any other. */
export function allowOrigins(server: FastifyInstance, origins: readonly string[]): void {
  if (origins.length === 0) return;
  server.addHook('onRequest', (request, reply, done) => {
    if (request.raw.url?.startsWith(API_PREFIX)) {
      const { origin } = request.headers;
      reply.header('vary', 'origin');
      if (origin !== undefined && origins.includes(origin)) {
        reply.header('access-control-allow-origin', origin);
        reply.header('access-control-expose-headers', EXPOSED_HEADERS);
        if (request.method === 'OPTIONS') reply.headers(PREFLIGHT_HEADERS);
      }
    }
    done();
  });
}
