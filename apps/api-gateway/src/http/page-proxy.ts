import httpProxy from '@fastify/http-proxy';
import { LIMITS } from '@settle/config';
import { SettleError } from '@settle/contracts';
import type { FastifyInstance, FastifyRequest } from 'fastify';

type Headers = FastifyRequest['headers'];
type Origin = Pick<FastifyRequest, 'id' | 'ip'>;
type Answering = { send(payload: unknown): unknown };

/** Where auth-service's pages and endpoints are. */
const PAGE_PREFIXES = ['/v1/oauth', '/developers', '/account', '/.well-known', '/dev'];
const PAGE_METHODS = ['GET', 'HEAD', 'POST', 'DELETE'];
/** What a client says about its own way here is not to be believed. */
const FORWARDING_HEADER = /^(?:forwarded|x-forwarded-.*|x-real-ip|x-request-id)$/;

/** Passes requests for pages on to auth-service, unchanged but for the headers that say whence they came. */
export function proxyPages(server: FastifyInstance, authUrl: string): void {
  // Not awaited: it is loaded at listening, once Nest's error handler is there to be inherited.
  void server.register(async (pages) => {
    // Bodies stream through: auth-service reads and bounds them itself.
    pages.removeAllContentTypeParsers();
    pages.addHook('onRequest', (request, _reply, done) => done(bodyProblem(request)));
    for (const prefix of PAGE_PREFIXES) {
      await pages.register(httpProxy, {
        upstream: authUrl,
        prefix,
        rewritePrefix: prefix,
        httpMethods: PAGE_METHODS,
        internalRewriteLocationHeader: false,
        // A page that is away is said to be so at once: whoever asked may try again.
        retryMethods: [],
        undici: {
          headersTimeout: LIMITS.gateway.pageWaitMs,
          bodyTimeout: LIMITS.gateway.pageWaitMs,
          connections: LIMITS.gateway.requestsInProgress,
        },
        replyOptions: { rewriteRequestHeaders: withOrigin, onError: answerUnavailable },
      });
    }
  });
}

function withOrigin(request: Origin, headers: Headers): Headers {
  const kept = Object.entries(headers).filter(([name]) => !FORWARDING_HEADER.test(name));
  return { ...Object.fromEntries(kept), 'x-forwarded-for': request.ip, 'x-request-id': request.id };
}

function bodyProblem(request: FastifyRequest): SettleError | undefined {
  const isTooLarge = Number(request.headers['content-length'] ?? 0) > LIMITS.gateway.bodyBytes;
  return isTooLarge ? new SettleError('payload_too_large', 'The body is too large: send at most 64 KiB.') : undefined;
}

function answerUnavailable(reply: Answering): void {
  reply.send(new SettleError('service_unavailable', 'The pages are away for a moment. Try again shortly.'));
}
