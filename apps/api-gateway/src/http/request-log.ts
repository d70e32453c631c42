import type { Logger } from '@settle/observability';
import type { FastifyReply, FastifyRequest } from 'fastify';

/**
 * Writes one line when a request is over, answered or aborted. The route's pattern stands for the URL, which may hold
 * anything.
 */
export function logWhenOver(logger: Logger, request: FastifyRequest, reply: FastifyReply): void {
  const beganAtMs = performance.now();
  // Comes for aborted requests as well, which Fastify's own onResponse does not.
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
