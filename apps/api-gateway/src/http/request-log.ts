import type { Logger } from '@settle/observability';
import type { FastifyReply, FastifyRequest } from 'fastify';

/**
 * Logs one line when a request is over, completed or aborted. The route's pattern replaces the URL, which may have
 * private data.
 */
export function logWhenOver(logger: Logger, request: FastifyRequest, reply: FastifyReply): void {
  const beganAtMs = performance.now();
  // Also emitted for aborted requests, unlike Fastify's onResponse.
  reply.raw.once('close', () => {
    const durationMs = performance.now() - beganAtMs;
    logger.info(
      {
        requestId: request.id,
        method: request.method,
        route: request.is404 ? 'none' : request.routeOptions.url,
        status: reply.raw.statusCode,
        durationMs: Math.round(durationMs * 100) / 100,
        userId: request.user?.userId,
        appId: request.user?.appId,
        aborted: reply.raw.writableFinished ? undefined : true,
      },
      'request',
    );
  });
}
