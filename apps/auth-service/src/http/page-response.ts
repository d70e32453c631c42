import { FastifyAdapter } from '@nestjs/platform-fastify';
import { SettleError } from '@settle/contracts';
import type { FastifyReply } from 'fastify';
import { buildContentSecurityPolicy, type FormSources } from './page-headers.js';

/** The result of a handler of pages: an HTML page or a redirect. */
export class PageResponse {
  constructor(
    private readonly status: number,
    private readonly headers: Readonly<Record<string, string>>,
    private readonly html?: string,
  ) {}

  send(reply: FastifyReply): FastifyReply {
    return reply.code(this.status).headers(this.headers).send(this.html);
  }
}

interface PageOptions {
  readonly status?: number;
  /** Where a form on the page may redirect besides this service. */
  readonly formSources?: FormSources;
}

/** Returns an HTML page. */
export function page(html: string, { status = 200, formSources }: PageOptions = {}): PageResponse {
  const headers = {
    'content-security-policy': buildContentSecurityPolicy(formSources),
    'content-type': 'text/html; charset=utf-8',
  };
  return new PageResponse(status, headers, html);
}

/** Redirects with 303, which never repeats a POST. */
export function redirect(location: string): PageResponse {
  return new PageResponse(303, { location });
}

/** Sends the pages that handlers return. */
export class PageAdapter extends FastifyAdapter {
  override reply(...[response, body, status]: Parameters<FastifyAdapter['reply']>) {
    if (body instanceof PageResponse) return body.send(response as FastifyReply);
    return super.reply(response, body, status);
  }
}

/** Returns the error with which `work` refuses the user's input, for the page that shows it. */
export function orRefusal<Result>(work: () => Result): Result | SettleError {
  try {
    return work();
  } catch (error) {
    if (error instanceof SettleError) return error;
    throw error;
  }
}
