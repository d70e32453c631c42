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

/** Path prefixes of auth-service's pages and endpoints. */
const PAGE_PREFIXES = ['/v1/oauth', '/sandbox/v1/oauth', '/developers', '/account', '/.well-known', '/dev'];
const HOME = '/';
const READING_METHODS = new Set(['GET', 'HEAD']);
/** Codes of errors before any byte of the request was sent. */
const NOT_CONNECTED = new Set(['ECONNREFUSED', 'UND_ERR_CONNECT_TIMEOUT', 'ENOTFOUND', 'EAI_AGAIN']);
const UNAVAILABLE = new SettleError(
  'service_unavailable',
  'The pages are unavailable at the moment. Try again shortly.',
);
const OUTCOME_UNKNOWN = new SettleError(
  'outcome_unknown',
  'The request was sent and no answer came. Look whether it took effect before sending it again.',
);
/** All methods: auth-service knows which path accepts which, and refuses the others. */
const ANY_METHOD = METHODS.filter((method) => method !== 'CONNECT');
/** Forwarding headers of clients, which cannot be trusted. */
const FORWARDING_HEADER = /^(?:forwarded|x-forwarded-.*|x-real-ip|x-request-id)$/;
/** Headers of a single connection, of which there are two here. */
const CONNECTION_HEADER = /^(?:connection|keep-alive|proxy-connection|expect|te|trailer|transfer-encoding|upgrade)$/;

/** Forwards requests for pages to auth-service, unchanged but for the forwarding headers. */
export function proxyPages(server: FastifyInstance, authUrl: string, admission: Admission): void {
  // Not awaited: it is loaded when the server listens, once Nest's error handler can be inherited.
  void server.register(async (pages) => {
    // After the body has arrived: otherwise a few hundred unfinished bodies would occupy every slot.
    pages.addHook('preValidation', async (request, reply) => void (await admission.admitAddress(request, reply)));
    // Bodies are read completely before they are forwarded, byte for byte: a slow body occupies no slot in
    // auth-service.
    pages.removeAllContentTypeParsers();
    pages.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, Readable.from([body])));
    const unknown = ANY_METHOD.filter((method) => !pages.supportedMethods.includes(method));
    for (const method of unknown) pages.addHttpMethod(method, { hasBody: true });
    // With a body Fastify would refuse it if the media type is missing; no page accepts the method.
    pages.addHttpMethod('QUERY', { hasBody: false, overrideExisting: true });
    for (const prefix of [HOME, ...PAGE_PREFIXES]) {
      await pages.register(httpProxy, {
        upstream: authUrl,
        prefix,
        rewritePrefix: prefix,
        httpMethods: ANY_METHOD,
        // All other paths are below this prefix, and `OPTIONS *` concerns no page.
        ...(prefix === HOME && { routes: ['/'], httpMethods: [...READING_METHODS] }),
        proxyPayloads: false,
        internalRewriteLocationHeader: false,
        // If the pages are unavailable the client learns it at once and may retry.
        retryMethods: [],
        undici: {
          headersTimeout: LIMITS.gateway.pageWaitMs,
          bodyTimeout: LIMITS.gateway.pageWaitMs,
          connections: LIMITS.gateway.pageConnections,
        },
        replyOptions: {
          rewriteRequestHeaders: withOrigin,
          rewriteHeaders: withoutConnection,
          onError: respondToLostPage,
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

/** A POST that may have been begun is not reported as retryable: a code or refresh token would be spent twice. */
function respondToLostPage(reply: Lost, { error }: { readonly error: Error }): void {
  const { code = '' } = (error.cause ?? error) as { readonly code?: string };
  const isBegun = !READING_METHODS.has(reply.request.method) && !NOT_CONNECTED.has(code);
  reply.send(isBegun ? OUTCOME_UNKNOWN : UNAVAILABLE);
}
