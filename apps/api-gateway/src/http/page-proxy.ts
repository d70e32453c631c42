import { METHODS } from 'node:http';
import { Readable } from 'node:stream';
import httpProxy from '@fastify/http-proxy';
import { LIMITS } from '@settle/config';
import { SettleError } from '@settle/contracts';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Admission } from '../limits/admission.js';

type Headers = FastifyRequest['headers'];
type Origin = Pick<FastifyRequest, 'id' | 'ip'>;
type Lost = { readonly request: { readonly method: string }; send(payload: unknown): unknown };

/** Where auth-service's pages and endpoints are. */
const PAGE_PREFIXES = ['/v1/oauth', '/sandbox/v1/oauth', '/developers', '/account', '/.well-known', '/dev'];
const HOME = '/';
const READING_METHODS = new Set(['GET', 'HEAD']);
/** Nothing of the request was sent. */
const NOT_CONNECTED = new Set(['ECONNREFUSED', 'UND_ERR_CONNECT_TIMEOUT', 'ENOTFOUND', 'EAI_AGAIN']);
const AWAY = new SettleError('service_unavailable', 'The pages are away for a moment. Try again shortly.');
const OUTCOME_UNKNOWN = new SettleError(
  'outcome_unknown',
  'The request was sent and no answer came. Look whether it took effect before sending it again.',
);
/** All that a request can have: auth-service knows which of its addresses takes which, and refuses the others. */
const ANY_METHOD = METHODS.filter((method) => method !== 'CONNECT');
/** What a client says about its own way here is not to be believed. */
const FORWARDING_HEADER = /^(?:forwarded|x-forwarded-.*|x-real-ip|x-request-id)$/;
/** These speak of one connection, and there are two. */
const CONNECTION_HEADER = /^(?:connection|keep-alive|proxy-connection|expect|te|trailer|transfer-encoding|upgrade)$/;

/** Passes requests for pages on to auth-service, unchanged but for the headers that say whence they came. */
export function proxyPages(server: FastifyInstance, authUrl: string, admission: Admission): void {
  // Not awaited: it is loaded at listening, once Nest's error handler is there to be inherited.
  void server.register(async (pages) => {
    // Once its body is here: else a few hundred bodies that never come would take every slot.
    pages.addHook('preValidation', async (request, reply) => void (await admission.admitAddress(request, reply)));
    // Read whole before they go on, byte for byte: a slow body holds no place in auth-service.
    pages.removeAllContentTypeParsers();
    pages.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, Readable.from([body])));
    const unknown = ANY_METHOD.filter((method) => !pages.supportedMethods.includes(method));
    for (const method of unknown) pages.addHttpMethod(method, { hasBody: true });
    // With one Fastify would refuse it itself where the media type is missing; no page takes it.
    pages.addHttpMethod('QUERY', { hasBody: false, overrideExisting: true });
    for (const prefix of [HOME, ...PAGE_PREFIXES]) {
      await pages.register(httpProxy, {
        upstream: authUrl,
        prefix,
        rewritePrefix: prefix,
        httpMethods: ANY_METHOD,
        // Below it everything else stands, and `OPTIONS *` is about no page.
        ...(prefix === HOME && { routes: ['/'], httpMethods: [...READING_METHODS] }),
        proxyPayloads: false,
        internalRewriteLocationHeader: false,
        // A page that is away is said to be so at once: whoever asked may try again.
        retryMethods: [],
        undici: {
          headersTimeout: LIMITS.gateway.pageWaitMs,
          bodyTimeout: LIMITS.gateway.pageWaitMs,
          connections: LIMITS.gateway.pageConnections,
        },
        replyOptions: {
          rewriteRequestHeaders: withOrigin,
          rewriteHeaders: withoutConnection,
          onError: answerLost,
        },
      });
    }
  });
}

function withOrigin(request: Origin, headers: Headers): Headers {
  const kept = Object.entries(withoutConnection(headers)).filter(([name]) => !FORWARDING_HEADER.test(name));
  return { ...Object.fromEntries(kept), 'x-forwarded-for': request.ip, 'x-request-id': request.id };
}

function withoutConnection(headers: Headers): Headers {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !CONNECTION_HEADER.test(name)));
}

/** A POST that may have been begun is not to be sent again as if it had not: a code or refresh token would be spent twice. */
function answerLost(reply: Lost, { error }: { readonly error: Error }): void {
  const { code = '' } = (error.cause ?? error) as { readonly code?: string };
  const isBegun = !READING_METHODS.has(reply.request.method) && !NOT_CONNECTED.has(code);
  reply.send(isBegun ? OUTCOME_UNKNOWN : AWAY);
}
