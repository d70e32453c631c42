import { Catch, HttpException, NotFoundException, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import type { TokenGrant } from '@settle/contracts';
import type { Logger } from '@settle/observability';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { NOTHING_HERE, errorAnswer, refusalIn } from './error-answer.js';
import { NO_STORE } from './server-options.js';

const JSON_TYPE = 'application/json; charset=utf-8';

/** Answers every error, whoever threw it: a refusal of the catalogue, Fastify's own, or a bug. */
@Catch()
export class ErrorFilter implements ExceptionFilter {
  constructor(private readonly logger: Logger) {}

  catch(thrown: unknown, host: ArgumentsHost): void {
    const error = meaningOf(thrown);
    const http = host.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    const reply = http.getResponse<FastifyReply>();
    // `logWhenOver` says that the request was aborted.
    if (isClientGone(error, request)) return;
    if (refusalIn(error) === null) this.logger.error({ err: error, requestId: request.id }, 'a request met a bug');
    if (reply.sent) return;
    const { user } = request as { user?: TokenGrant };
    const { status, headers, body } = errorAnswer(error, user?.legacyAnswers);
    // A route may have set its own before it failed: an error is JSON, and nobody keeps it.
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
  // Nest's message repeats the URL, whose query may hold a token.
  if (thrown instanceof NotFoundException) return NOTHING_HERE;
  // Nest wraps Fastify's own errors, whose codes say more.
  return thrown instanceof HttpException ? (thrown.cause ?? thrown) : thrown;
}
