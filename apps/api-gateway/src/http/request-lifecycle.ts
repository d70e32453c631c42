import { LIMITS } from '@settle/config';
import { SettleError, type TokenGrant } from '@settle/contracts';
import type { Logger } from '@settle/observability';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { RequestParameters } from '../requests/request-parameters.js';
import { KnownPaths } from './known-paths.js';
import { logWhenOver } from './request-log.js';
import { NO_STORE } from './server-options.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** Whose request it is; there once `AccessTokenGuard` has let it in. */
    user: TokenGrant;
    /** Query and body as one; there as soon as `AccessTokenGuard` has run. */
    parameters: RequestParameters;
  }
}

const { gateway } = LIMITS;
const NOTHING_HERE = new SettleError('resource_not_found', 'Nothing is at this address: check the path.');
const TOO_MANY = new SettleError('service_unavailable', 'Too many requests are in progress. Try again shortly.');
const TOO_LONG = new SettleError('uri_too_long', 'The URL is too long: send at most 8 KiB, the rest as a body.');

/** What holds for every request, whatever it asks for. To be called before routes are added. */
export function watchRequests(server: FastifyInstance, logger: Logger): void {
  decorateRequests(server);
  const known = new KnownPaths();
  server.addHook('onRoute', ({ url, method }) => known.add(url, [method].flat()));
  let inProgress = 0;
  server.addHook('onRequest', (request, reply, done) => {
    inProgress += 1;
    logWhenOver(logger, request, reply, () => (inProgress -= 1));
    reply.header('x-request-id', request.id);
    reply.header('cache-control', NO_STORE);
    if (inProgress > gateway.requestsInProgress) done(TOO_MANY);
    else if (request.is404) answerUnrouted(known, request, reply, done);
    else done(request.raw.url !== undefined && request.raw.url.length > gateway.urlBytes ? TOO_LONG : undefined);
  });
}

/** Gives every request its own fields from the start: objects of one shape are fast. */
function decorateRequests(server: FastifyInstance): void {
  for (const field of ['parameters', 'user', 'authInfo']) server.decorateRequest(field, null);
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
