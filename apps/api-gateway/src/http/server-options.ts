import { randomUUID } from 'node:crypto';
import type { Server } from 'node:http';
import { LIMITS } from '@settle/config';
import type { Logger } from '@settle/observability';
import type { FastifyReply, FastifyRequest, FastifyHttpOptions } from 'fastify';
import type { GatewaySettings } from '../settings/gateway-settings.js';
import type { RateLimits } from '../limits/rate-limits.js';
import { errorResponse } from '../responses/error-response.js';
import { setCorsHeaders } from './cross-origin.js';
import { logWhenOver } from './request-log.js';

const { gateway } = LIMITS;

/** No cache may store a response of the API. */
export const NO_STORE = 'no-store, private';

const STRICT_TRANSPORT = 'max-age=31536000';

/** Sets the headers of every response. */
export function setCommonHeaders({ id }: FastifyRequest, reply: FastifyReply, isHttps: boolean): void {
  reply.header('x-request-id', id);
  reply.header('cache-control', NO_STORE);
  reply.header('x-content-type-options', 'nosniff');
  if (isHttps) reply.header('strict-transport-security', STRICT_TRANSPORT);
}

/** Whether the product is served over https. */
export function isHttps({ publicUrl }: Pick<GatewaySettings, 'publicUrl'>): boolean {
  return publicUrl.startsWith('https://');
}

/** Interval at which Node checks for late connections. */
const LATE_CHECK_EVERY_MS = 1_000;

/**
 * Returns Fastify's options: bounds on everything that a client may send, and our own responses in place of Fastify's.
 */
export function serverOptions(
  logger: Logger,
  settings: Pick<GatewaySettings, 'trustedProxies' | 'publicUrl' | 'corsOrigins'>,
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
    // Requests that arrive on an open connection while the server closes are answered as usual.
    return503OnClosing: false,
    http: {
      maxHeaderSize: gateway.headersBytes,
      headersTimeout: gateway.headersTimeoutMs,
      // Otherwise the second of two Authorization headers would be dropped silently.
      joinDuplicateHeaders: true,
      // `watchRequests` checks it: Node's own response has another form.
      requireHostHeader: false,
      connectionsCheckingInterval: LATE_CHECK_EVERY_MS,
    },
    routerOptions: {
      maxParamLength: gateway.urlBytes,
      // `queryParameters` reads the query strictly; Fastify's lenient parsing would be wasted work.
      querystringParser: () => ({}),
    },
    frameworkErrors: (error, request, reply) => {
      logWhenOver(logger, request as FastifyRequest, reply as FastifyReply);
      setCommonHeaders(request as FastifyRequest, reply as FastifyReply, isHttps(settings));
      setCorsHeaders(request as FastifyRequest, reply as FastifyReply, settings.corsOrigins);
      respondUnroutable(error, request as FastifyRequest, reply as FastifyReply, rateLimits);
    },
    // `guardConnections` responds.
    clientErrorHandler: () => undefined,
  };
}

/** The URL cannot be decoded: no hook has run or will run. */
function respondUnroutable(error: Error, request: FastifyRequest, reply: FastifyReply, rateLimits: RateLimits): void {
  let refusal: unknown = error;
  try {
    rateLimits.countForAddress(request, reply);
  } catch (rateLimited) {
    refusal = rateLimited;
  }
  const { status, headers, body } = errorResponse(refusal);
  void reply.code(status).headers(headers).send(body);
}
