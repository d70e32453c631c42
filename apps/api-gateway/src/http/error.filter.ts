import { Catch, HttpException, NotFoundException, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import type { TokenGrant } from '@settle/contracts';
import type { Logger } from '@settle/observability';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { NOTHING_HERE, errorResponse, refusalIn } from '../responses/error-response.js';
import { JSON_TYPE } from '../responses/json-type.js';
import { NO_STORE } from './server-options.js';

/** Responds to every error: one of the catalogue, one of Fastify, or an unexpected one. */
@Catch()
export class ErrorFilter implements ExceptionFilter {
  constructor(private readonly logger: Logger) {}

  catch(thrown: unknown, host: ArgumentsHost): void {
    const error = meaningOf(thrown);
    const http = host.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    const reply = http.getResponse<FastifyReply>();
    // `logWhenOver` logs the aborted request.
    if (isClientGone(error, request)) return;
    if (refusalIn(error) === null) this.logger.error({ err: error, requestId: request.id }, 'a request met a bug');
    if (reply.sent) return;
    const { user } = request as { user?: TokenGrant };
    const { status, headers, body } = errorResponse(error, user?.legacyAnswers);
    // A route may have set its own headers before it failed: an error is JSON and must not be stored.
    const own = { 'content-type': JSON_TYPE, 'cache-control': NO_STORE };
    void reply
      .code(status)
      .headers({ ...own, ...headers })
      .send(body);
  }
}

/** Codes of errors that a closed connection causes: on reading the request, and on passing on a page's response. */
const CLIENT_GONE = new Set(['ECONNRESET', 'UND_ERR_ABORTED']);

/** Whether the request failed because its client has closed the connection: no response is possible, and it is no bug. */
function isClientGone(error: unknown, { raw }: FastifyRequest): boolean {
  const { code } = (error ?? {}) as NodeJS.ErrnoException;
  return raw.socket.destroyed && CLIENT_GONE.has(code ?? '');
}

function meaningOf(thrown: unknown): unknown {
  // Nest's message repeats the URL, whose query may have a token.
  if (thrown instanceof NotFoundException) return NOTHING_HERE;
  // Nest wraps Fastify's errors, whose codes are more precise.
  return thrown instanceof HttpException ? (thrown.cause ?? thrown) : thrown;
}
