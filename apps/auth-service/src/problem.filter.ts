import { Catch, HttpException, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import { LIMITS } from '@settle/config';
import { SettleError, codeForApp, toErrorPayload, type ErrorCode } from '@settle/contracts';
import type { Logger } from '@settle/observability';
import { databaseFailures, isServerAway } from '@settle/postgres';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AuthorizationRequestError } from './authorize/authorization-request.js';
import { buildResponseUrl } from './authorize/response-url.js';
import { withReturnTo } from './pages/return-path.js';
import { renderProblem } from './pages/pages.js';
import { redirect, sendPage } from './pages/send-page.js';
import { PasswordAgain } from './sign-in/password-again.guard.js';
import { renderPasswordAgain } from './sign-in/password-again.page.js';
import { SignInFirst } from './sign-in/signed-in.guard.js';

const TITLES: Readonly<Record<number, string>> = {
  400: 'This request cannot be served',
  403: 'This cannot be done',
  404: 'Nothing is here',
  405: 'This address is not for that',
  413: 'This is too much',
  415: 'This form cannot be read',
  429: 'Please wait a moment',
  503: 'Please try again in a moment',
};

/** Addresses at which no person looks. */
const FOR_PROGRAMS = /^\/(?:(?:sandbox\/)?v1\/oauth\/(?:access_token|revoke)|\.well-known\/|introspect)/;

/** No route took the request. */
const LOST: ReadonlySet<ErrorCode> = new Set(['resource_not_found', 'method_not_allowed']);

/** How to say who one is (RFC 6749 5.2, RFC 6750 3). */
const CHALLENGES: Partial<Record<ErrorCode, string>> = {
  invalid_client: 'Basic realm="settle"',
  missing_token: 'Bearer',
};

/** Ends every request that went wrong: at the app where that is safe, else on a page of our own. */
@Catch()
export class ProblemFilter implements ExceptionFilter {
  constructor(
    private readonly issuer: string,
    private readonly logger: Logger,
  ) {}

  async catch(error: unknown, host: ArgumentsHost): Promise<void> {
    const request = host.switchToHttp().getRequest<FastifyRequest>();
    const reply = host.switchToHttp().getResponse<FastifyReply>();
    if (error instanceof AuthorizationRequestError) {
      const answer = { error: error.code, error_description: error.message };
      return redirect(reply, buildResponseUrl(error.target, answer, this.issuer));
    }
    if (error instanceof PasswordAgain) return sendPage(reply, renderPasswordAgain(error), { status: 403 });
    if (error instanceof SignInFirst) return redirect(reply, withReturnTo('/account/sign-in', error.returnTo));
    const problem = asSettleError(error);
    if (problem.code === 'internal_error') {
      this.logger.error({ err: error, requestId: request.headers['x-request-id'] }, 'A page failed');
    }
    const { allow, retryAfterSeconds } = problem.details;
    if (allow !== undefined) reply.header('allow', allow);
    if (problem.status === 503 || problem.status === 429) {
      reply.header('retry-after', retryAfterSeconds ?? LIMITS.gateway.retryAfterSeconds);
    }
    const payload = toErrorPayload(problem);
    // People see pages; a program that asks for what is not there, or with another method, gets the interface's own answer.
    const isLost = LOST.has(problem.code) && !request.headers.accept?.includes('text/html');
    if (isLost || FOR_PROGRAMS.test(request.url)) return sendJson(reply, problem);
    const title = TITLES[problem.status] ?? 'Something went wrong';
    return sendPage(reply, renderProblem({ title, ...payload }), { status: problem.status });
  }
}

async function sendJson(reply: FastifyReply, problem: SettleError): Promise<void> {
  const { code, message } = toErrorPayload(problem);
  const challenge = CHALLENGES[code] ?? (problem.status === 401 ? 'Bearer error="invalid_token"' : undefined);
  if (challenge !== undefined) reply.header('www-authenticate', challenge);
  await reply.code(problem.status).send({ error: { message, code: codeForApp(problem) } });
}

/** What Nest and Fastify refuse by themselves, in words of the catalogue. */
function asSettleError(error: unknown): SettleError {
  if (error instanceof SettleError) return error;
  if (isServerAway(error)) {
    databaseFailures.add(error);
    return new SettleError('service_unavailable', 'We cannot look this up just now.');
  }
  const status = error instanceof HttpException ? error.getStatus() : (error as { statusCode?: number }).statusCode;
  if (status === 404) return new SettleError('resource_not_found', 'There is nothing under this address.');
  if (status === 413) return new SettleError('payload_too_large', 'The form is too large.');
  if (status === 415) return new SettleError('unsupported_media_type', 'Send the form as a browser does.');
  if (status !== undefined && status < 500) return new SettleError('invalid_request', 'The request cannot be read.');
  return new SettleError('internal_error', 'Something went wrong on our side. Try again in a moment.');
}
