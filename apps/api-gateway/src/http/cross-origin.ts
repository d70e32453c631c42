import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { BASE_PATHS } from '../settings/environment.js';

/** Where scripts find the addresses of all endpoints and the description of the API. */
const DISCOVERY_PATHS = ['/.well-known/', '/openapi.json'];
const API_PREFIXES = [...Object.values(BASE_PATHS).map((base) => `${base}/`), ...DISCOVERY_PATHS];
const ONE_HOUR_S = 3_600;

const EXPOSED_HEADERS =
  'x-request-id, retry-after, ratelimit-limit, ratelimit-remaining, ratelimit-reset, idempotent-replayed';

/** Headers of the response to a preflight; `Allow` and the actual response have the rest. */
const PREFLIGHT_HEADERS = {
  'access-control-allow-methods': 'GET, HEAD, POST, PUT, DELETE',
  'access-control-allow-headers': 'authorization, content-type, idempotency-key',
  'access-control-max-age': String(ONE_HOUR_S),
} as const;

/** Sets the headers that let scripts of these origins read responses of the API, never with cookies. */
export function setCorsHeaders(request: FastifyRequest, reply: FastifyReply, origins: readonly string[]): void {
  const url = request.raw.url ?? '';
  if (origins.length === 0 || !API_PREFIXES.some((prefix) => url.startsWith(prefix))) return;
  const { origin } = request.headers;
  reply.header('vary', 'origin');
  if (origin === undefined || !origins.includes(origin)) return;
  reply.header('access-control-allow-origin', origin);
  reply.header('access-control-expose-headers', EXPOSED_HEADERS);
  if (request.method === 'OPTIONS') reply.headers(PREFLIGHT_HEADERS);
}

/** Lets scripts of these origins call the API. Preflights are OPTIONS requests like any other. */
export function allowOrigins(server: FastifyInstance, origins: readonly string[]): void {
  if (origins.length === 0) return;
  server.addHook('onRequest', (request, reply, done) => {
    setCorsHeaders(request, reply, origins);
    done();
  });
}
