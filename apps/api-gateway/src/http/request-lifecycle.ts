import { LIMITS } from '@settle/config';
import { SettleError, withLegacyDatetimes, type TokenGrant } from '@settle/contracts';
import { KnownPaths, findProtocolError, findTransferEncodingError } from '@settle/lifecycle';
import type { Logger } from '@settle/observability';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Admission } from '../limits/admission.js';
import type { RateLimits } from '../limits/rate-limits.js';
import { TOO_MANY } from '../limits/request-slots.js';
import type { RequestParameters } from '../parameters/request-parameters.js';
import { JSON_TYPE } from '../responses/json-type.js';
import { BODY_TOO_LARGE, NOTHING_HERE, errorResponse } from '../responses/error-response.js';
import { logWhenOver } from './request-log.js';
import { isHttps, setCommonHeaders } from './server-options.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** The token's grant; set once `AccessTokenGuard` has admitted the request. */
    user: TokenGrant;
    /** SHA-256 of the access token in hex; set once `AccessTokenGuard` has found the token. */
    tokenSha256: string;
    /** Parameters of query and body, read at the first use. Error: `invalid_request`. */
    readonly parameters: RequestParameters;
    /** W3C `traceparent` of the request's own span; undefined if it is not traced. */
    traceparent: string | undefined;
  }
}

const { gateway } = LIMITS;
const TOO_MANY_HEADERS = new SettleError(
  'headers_too_large',
  `There are too many headers: send at most ${gateway.headersCount}.`,
);
const ONE_HOST = new SettleError(
  'invalid_request',
  'A request needs the Host header, once, with a host and perhaps a port.',
);
const TOO_LONG = new SettleError('uri_too_long', 'The URL is too long: send at most 8 KiB, the rest as a body.');

const overloaded = errorResponse(TOO_MANY);
const OVERLOADED_TEXT = JSON.stringify(overloaded.body);
const LEGACY_OVERLOADED_TEXT = JSON.stringify(errorResponse(TOO_MANY, true).body);

/** RFC 9110, section 7.2, without the comma that joins two headers. */
const HOST = /^(?:\[[0-9a-f:.]+\]|[\w.~%!$&'()*+;=-]*)(?::\d*)?$/i;

export interface RequestBounds {
  readonly rateLimits: RateLimits;
  readonly admission: Admission;
  readonly publicUrl: string;
}

/** Applies the rules for every request. Call it before routes are added. */
export function watchRequests(server: FastifyInstance, logger: Logger, bounds: RequestBounds): void {
  decorateRequests(server);
  const { rateLimits, admission } = bounds;
  const overHttps = isHttps(bounds);
  const known = new KnownPaths();
  server.addHook('onRoute', ({ url, method }) => known.add(url, [method].flat()));
  server.addHook('onRequest', (request, reply, done) => {
    logWhenOver(logger, request, reply);
    setCommonHeaders(request, reply, overHttps);
    rateLimits.countForAddress(request, reply);
    const problem = findProtocolError(request.raw);
    if (problem !== null) done(problem);
    else if (request.is404) respondUnrouted(known, request, reply, done);
    else {
      const refused = admission.refusedEarly(request);
      if (refused !== null) turnAway(reply, refused);
      else done(sizeProblem(request) ?? findTransferEncodingError(request.raw) ?? hostProblem(request) ?? undefined);
    }
  });
  // The handler has responded: the time that the client takes to read the response holds no slot.
  server.addHook('onSend', (_request, reply, payload, done) => {
    admission.release(reply.raw);
    done(null, payload);
  });
  server.addHook('preSerialization', (request, _reply, response, done) => {
    // Absent on routes without a token.
    const { user } = request as { user?: TokenGrant | null };
    done(null, user?.legacyAnswers === true ? withLegacyDatetimes(response) : response);
  });
  // The only known value of `Expect` is 100-continue. Others are ignored: Node's own response would have another form.
  server.server.on('checkExpectation', (request, response) => server.server.emit('request', request, response));
}

/** Responds without the filters and serializers of other errors. */
function turnAway(reply: FastifyReply, { legacyAnswers }: TokenGrant): void {
  const text = legacyAnswers === true ? LEGACY_OVERLOADED_TEXT : OVERLOADED_TEXT;
  void reply.code(overloaded.status).headers(overloaded.headers).type(JSON_TYPE).send(text);
}

function sizeProblem({ headers, raw }: FastifyRequest): SettleError | null {
  if (Number(headers['content-length'] ?? 0) > gateway.bodyBytes) return BODY_TOO_LARGE;
  // Names and values alternate.
  if (raw.rawHeaders.length > 2 * gateway.headersCount) return TOO_MANY_HEADERS;
  return raw.url !== undefined && raw.url.length > gateway.urlBytes ? TOO_LONG : null;
}

function hostProblem({ headers: { host }, raw }: FastifyRequest): SettleError | null {
  if (host === undefined) return raw.httpVersionMinor === 0 ? null : ONE_HOST;
  return HOST.test(host) ? null : ONE_HOST;
}

/** Gives every request its own fields from the start: objects of one shape are fast. */
function decorateRequests(server: FastifyInstance): void {
  for (const field of ['tokenSha256', 'user', 'authInfo']) server.decorateRequest(field, null);
  server.decorateRequest('traceparent', undefined);
}

/** Responds to a request that no route matched: no such path, no such method there, or OPTIONS. */
function respondUnrouted(
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
