import { randomUUID } from 'node:crypto';
import type { Server } from 'node:http';
import { LIMITS } from '@settle/config';
import type { Logger } from '@settle/observability';
import type { FastifyReply, FastifyRequest, FastifyHttpOptions } from 'fastify';
import type { GatewaySettings } from '../gateway-settings.js';
import type { RateLimits } from '../limits/rate-limits.js';
import { refusalOf } from '../requests/parameter-validation.js';
import { errorAnswer } from './error-answer.js';
import { logWhenOver } from './request-log.js';

const { gateway } = LIMITS;

/** Nobody on the way may keep an answer of the API. */
export const NO_STORE = 'no-store, private';

const STRICT_TRANSPORT = 'max-age=31536000';

/** Sets the headers that every answer has. */
export function setCommonHeaders({ id }: FastifyRequest, reply: FastifyReply, isHttps: boolean): void {
  reply.header('x-request-id', id);
  reply.header('cache-control', NO_STORE);
  reply.header('x-content-type-options', 'nosniff');
  if (isHttps) reply.header('strict-transport-security', STRICT_TRANSPORT);
}

/** Whether the product is reached over https. */
export function isHttps({ publicUrl }: Pick<GatewaySettings, 'publicUrl'>): boolean {
  return publicUrl.startsWith('https://');
}

/** How often Node looks for connections that are late. */
const LATE_CHECK_EVERY_MS = 1_000;

/** Fastify's options: every bound on what a client may send, and answers of ours where Fastify has its own. */
export function serverOptions(
  logger: Logger,
  settings: Pick<GatewaySettings, 'trustedProxies' | 'publicUrl'>,
  rateLimits: RateLimits,
): FastifyHttpOptions<Server> {
  const { trustedProxies } = settings;
  return {
    trustProxy: trustedProxies > 0 && ((_address: string, hop: number) => hop < trustedProxies),
    logger: false,
    genReqId: () => randomUUID(),
    bodyLimit: gateway.bodyBytes,
    requestTimeout: gateway.requestTimeoutMs,
    keepAliveTimeout: gateway.keepAliveMs,
    // What still arrives on an open connection while closing is answered like any other request.
    return503OnClosing: false,
    http: {
      maxHeaderSize: gateway.headersBytes,
      headersTimeout: gateway.headersTimeoutMs,
      // Else of two Authorization headers the second would be dropped without a word.
      joinDuplicateHeaders: true,
      // `watchRequests` looks for it: Node's own answer is not of our form.
      requireHostHeader: false,
      connectionsCheckingInterval: LATE_CHECK_EVERY_MS,
    },
    routerOptions: {
      maxParamLength: gateway.urlBytes,
      // `queryParameters` reads the query strictly; Fastify's lenient reading would be work for nothing.
      querystringParser: () => ({}),
    },
    frameworkErrors: (error, request, reply) => {
      logWhenOver(logger, request as FastifyRequest, reply as FastifyReply);
      setCommonHeaders(request as FastifyRequest, reply as FastifyReply, isHttps(settings));
      answerUnroutable(error, request as FastifyRequest, reply as FastifyReply, rateLimits);
    },
    // `guardConnections` answers.
    clientErrorHandler: () => undefined,
  };
}

/** The URL cannot be decoded: no hook has run and none will. */
function answerUnroutable(error: Error, request: FastifyRequest, reply: FastifyReply, rateLimits: RateLimits): void {
  const slowDown = refusalOf(() => rateLimits.countForAddress(request, reply));
  const { status, headers, body } = errorAnswer(slowDown ?? error);
  void reply.code(status).headers(headers).send(body);
}
