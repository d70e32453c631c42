import { Catch, HttpException, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import type { Logger } from '@settle/observability';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { errorAnswer, refusalIn } from './error-answer.js';

/** Answers every error, whoever threw it: a refusal of the catalogue, Fastify's own, or a bug. */
@Catch()
export class ErrorFilter implements ExceptionFilter {
  constructor(private readonly logger: Logger) {}

  catch(thrown: unknown, host: ArgumentsHost): void {
    // Nest wraps Fastify's own errors, whose codes say more.
    const error = thrown instanceof HttpException ? (thrown.cause ?? thrown) : thrown;
    const http = host.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    const reply = http.getResponse<FastifyReply>();
    if (refusalIn(error) === null) this.logger.error({ err: error, requestId: request.id }, 'a request met a bug');
    if (reply.sent) return;
    const { status, headers, body } = errorAnswer(error);
    void reply.code(status).headers(headers).send(body);
  }
}
