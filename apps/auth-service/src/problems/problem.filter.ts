import { Catch, HttpException, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import { LIMITS } from '@settle/config';
import { SettleError, codeForApp, toErrorPayload, type ErrorCode } from '@settle/contracts';
import type { Logger } from '@settle/observability';
import { databaseFailures, isServerUnavailable } from '@settle/postgres';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AuthorizationRequestError, buildResponseUrl } from '../authorize/authorization-request.js';
import { withReturnTo } from '../pages/return-path.js';
import { page, redirect, type PageResponse } from '../http/page-response.js';
import { AlreadySignedIn } from '../sign-in/csrf.guard.js';
import { ReauthenticationRequired } from '../sign-in/reauthentication.guard.js';
import { renderReauthentication } from '../sign-in/reauthentication.page.js';
import { SignInRequired } from '../sign-in/session.guard.js';
import { renderProblem } from './problem.page.js';

const TITLES: Readonly<Record<number, string>> = {
  400: 'This request is not valid',
  403: 'This action is not allowed',
  404: "We couldn't find that page",
  405: 'There is no page at this address',
  413: 'This form is too large',
  415: "We couldn't read this form",
  429: 'Please wait a moment',
  503: 'Please try again in a moment',
};

/** Endpoints that are called by programs, not by browsers. */
const API_PATHS = /^\/(?:(?:sandbox\/)?v1\/oauth\/(?:access_token|revoke)|\.well-known\/|introspect|dev\/token)/;

/** Codes of requests that match no route. */
const UNROUTED: ReadonlySet<ErrorCode> = new Set(['resource_not_found', 'method_not_allowed']);

/** `WWW-Authenticate` by error code (RFC 6749 5.2, RFC 6750 3). */
const CHALLENGES: Partial<Record<ErrorCode, string>> = {
  invalid_client: 'Basic realm="settle"',
  missing_token: 'Bearer',
};

/** Responds to every failed request: redirects to the app where that is safe, otherwise renders a page or JSON. */
@Catch()
export class ProblemFilter implements ExceptionFilter {
  constructor(
    private readonly issuer: string,
    private readonly logger: Logger,
  ) {}

  async catch(error: unknown, host: ArgumentsHost): Promise<void> {
    const request = host.switchToHttp().getRequest<FastifyRequest>();
    const reply = host.switchToHttp().getResponse<FastifyReply>();
    const response = this.#toPage(error);
    await (response === null ? this.#sendProblem(error, request, reply) : response.send(reply));
  }

  /** Returns the page of an error that is a step of the user's way; null for a problem. */
  #toPage(error: unknown): PageResponse | null {
    if (error instanceof AuthorizationRequestError) {
      const parameters = { error: error.code, error_description: error.message };
      return redirect(buildResponseUrl(error.target, parameters, this.issuer));
    }
    if (error instanceof ReauthenticationRequired) {
      return page(renderReauthentication(error), { status: 403, formSources: error.formSources });
    }
    if (error instanceof AlreadySignedIn) return redirect(error.returnTo);
    return error instanceof SignInRequired ? redirect(withReturnTo('/account/sign-in', error.returnTo)) : null;
  }

  async #sendProblem(error: unknown, request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const problem = toSettleError(error);
    if (problem.code === 'internal_error') {
      this.logger.error(
        { err: error, requestId: request.headers['x-request-id'] },
        'a page request failed; responding with 500',
      );
    }
    const { allow, retryAfterSeconds } = problem.details;
    if (allow !== undefined) reply.header('allow', allow);
    if (problem.status === 503 || problem.status === 429) {
      reply.header('retry-after', retryAfterSeconds ?? LIMITS.gateway.retryAfterSeconds);
    }
    const payload = toErrorPayload(problem);
    // A program that requests an unknown path or method gets the API's JSON; a browser gets a page.
    const isUnroutedProgram = UNROUTED.has(problem.code) && !request.headers.accept?.includes('text/html');
    if (isUnroutedProgram || API_PATHS.test(request.url)) return sendJson(reply, problem);
    const title = TITLES[problem.status] ?? 'Something went wrong';
    await page(renderProblem({ title, ...payload }), { status: problem.status }).send(reply);
  }
}

async function sendJson(reply: FastifyReply, problem: SettleError): Promise<void> {
  const { code, message } = toErrorPayload(problem);
  const challenge = CHALLENGES[code] ?? (problem.status === 401 ? 'Bearer error="invalid_token"' : undefined);
  if (challenge !== undefined) reply.header('www-authenticate', challenge);
  await reply.code(problem.status).send({ error: { message, code: codeForApp(problem) } });
}

/** Maps errors of Nest, Fastify and the database to errors of the catalogue. */
function toSettleError(error: unknown): SettleError {
  if (error instanceof SettleError) return error;
  if (isServerUnavailable(error)) {
    databaseFailures.record(error);
    return new SettleError('service_unavailable', 'The database is unavailable. Try again in a moment.');
  }
  const status = error instanceof HttpException ? error.getStatus() : (error as { statusCode?: number }).statusCode;
  if (status === 404) return new SettleError('resource_not_found', 'There is nothing at this address.');
  if (status === 413) return new SettleError('payload_too_large', 'The form is too large.');
  if (status === 415) return new SettleError('unsupported_media_type', 'Send the form as a browser does.');
  if (status !== undefined && status < 500) return new SettleError('invalid_request', 'The request cannot be read.');
  return new SettleError('internal_error', 'Something went wrong on our side. Try again in a moment.');
}
