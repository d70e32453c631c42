import { LIMITS } from '@settle/config';
import { SettleError, type TokenGrant } from '@settle/contracts';
import { KnownPaths } from '@settle/lifecycle';
import type { Logger } from '@settle/observability';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { RateLimits } from '../limits/rate-limits.js';
import type { RequestParameters } from '../requests/request-parameters.js';
import { NOTHING_HERE } from './error-answer.js';
import { logWhenOver } from './request-log.js';
import { boundRequestsInProgress } from './request-places.js';
import { NO_STORE } from './server-options.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** Whose request it is; there once `AccessTokenGuard` has let it in. */
    user: TokenGrant;
    /** Query and body as one; there as soon as `AccessTokenGuard` has run. */
    parameters: RequestParameters;
    /** W3C `traceparent` of the request's own span; undefined: it is not traced. */
    traceparent: string | undefined;
  }
}

const { gateway } = LIMITS;
const TOO_LARGE = new SettleError('payload_too_large', 'The body is too large: send at most 64 KiB.');
const ONE_HOST = new SettleError('invalid_request', 'A request needs the Host header, once.');
const TOO_LONG = new SettleError('uri_too_long', 'The URL is too long: send at most 8 KiB, the rest as a body.');

export interface RequestBounds {
  readonly rateLimits: RateLimits;
  /** Requests in progress; one more is refused at once rather than made to wait. */
  readonly requestsInProgress: number;
}

/** What holds for every request, whatever it asks for. To be called before routes are added. */
export function watchRequests(server: FastifyInstance, logger: Logger, bounds: RequestBounds): void {
  decorateRequests(server);
  const known = new KnownPaths();
  server.addHook('onRoute', ({ url, method }) => known.add(url, [method].flat()));
  server.addHook('onRequest', (request, reply, done) => {
    logWhenOver(logger, request, reply);
    reply.header('x-request-id', request.id);
    reply.header('cache-control', NO_STORE);
    bounds.rateLimits.countForAddress(request, reply);
    if (request.is404) answerUnrouted(known, request, reply, done);
    else done(sizeProblem(request) ?? hostProblem(request));
  });
  boundRequestsInProgress(server, bounds.requestsInProgress);
  // Of what a client may expect only 100-continue is known. The rest is ignored: Node would answer in a form not ours.
  server.server.on('checkExpectation', (request, response) => server.server.emit('request', request, response));
}

function sizeProblem({ headers, raw }: FastifyRequest): SettleError | undefined {
  if (Number(headers['content-length'] ?? 0) > gateway.bodyBytes) return TOO_LARGE;
  return raw.url !== undefined && raw.url.length > gateway.urlBytes ? TOO_LONG : undefined;
}

function hostProblem({ headers: { host }, raw }: FastifyRequest): SettleError | undefined {
  if (host === undefined) return raw.httpVersionMinor === 0 ? undefined : ONE_HOST;
  return host.includes(',') ? ONE_HOST : undefined;
}

/** Gives every request its own fields from the start: objects of one shape are fast. */
function decorateRequests(server: FastifyInstance): void {
  for (const field of ['parameters', 'user', 'authInfo']) server.decorateRequest(field, null);
  server.decorateRequest('traceparent', undefined);
}

/** No route took the request: nothing is there, or not with this method, or it asks which methods there are. */
function answerUnrouted(
  known: KnownPaths,
  request: FastifyRequest,
  reply: FastifyReply,
  done: (error?: Error) => void,
): void {
  const allow = known.allow((request.raw.url ?? '').split('?', 1)[0] ?? '');
  if (allow === null) done(NOTHING_HERE);
  else if (request.method === 'OPTIONS') void reply.code(204).header('allow', allow).send();
  else done(new SettleError('method_not_allowed', `This address takes ${allow}.`, { allow }));
}
