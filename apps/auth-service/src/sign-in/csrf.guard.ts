import {
  Inject,
  Post,
  UseGuards,
  applyDecorators,
  mixin,
  type CanActivate,
  type ExecutionContext,
  type Type,
} from '@nestjs/common';
import type { Settings } from '@settle/config';
import { SettleError } from '@settle/contracts';
import { SecurityLog } from '@settle/observability';
import type { FastifyRequest } from 'fastify';
import { SETTINGS } from '../injection/providers.js';
import type { FormReader } from '../http/form.js';
import { isSameSecret } from '../secrets/secrets.js';
import { isSameOrigin } from './same-origin.js';
import { deriveFormToken, SessionCookie } from './session-cookie.js';
import { Sessions } from './sessions.js';

/** A sign-in form was sent again after it had succeeded. `returnTo` is a local path. */
export class AlreadySignedIn extends Error {
  constructor(readonly returnTo: string) {
    super('You are signed in already.');
  }
}

/** A route that receives a form of our pages. `CsrfGuard` checks it before the other guards. */
export function PostForm(path: string, form: FormReader<object>, ...guards: readonly Type<CanActivate>[]) {
  return applyDecorators(Post(path), UseGuards(CsrfGuard(form), ...guards));
}

/**
 * Refuses a form that was not sent by this service's page in the same browser, and validates its fields.
 * @param findReturnPath for a sign-in form: where a signed-in user continues who sends a form from before the sign-in
 */
export function CsrfGuard(
  readForm: FormReader<object>,
  findReturnPath?: (request: FastifyRequest) => string,
): Type<CanActivate> {
  class FormGuard implements CanActivate {
    constructor(
      @Inject(SETTINGS) private readonly settings: Settings,
      private readonly cookie: SessionCookie,
      private readonly security: SecurityLog,
      private readonly sessions: Sessions,
    ) {}

    async canActivate(context: ExecutionContext): Promise<boolean> {
      const request = context.switchToHttp().getRequest<FastifyRequest>();
      const sessionId = this.cookie.read(request);
      const hasSameOrigin = isSameOrigin(request.headers, this.settings.publicUrl);
      if (!hasSameOrigin || sessionId === null || !hasFormToken(request.body, deriveFormToken(sessionId))) {
        if (findReturnPath && hasSameOrigin && (await this.sessions.current(request)) !== null) {
          throw new AlreadySignedIn(findReturnPath(request));
        }
        this.security.write('form_refused');
        throw new SettleError(
          'not_permitted',
          'This form was not sent from our page in this browser, or the page is too old. Go back, reload the page and try again.',
        );
      }
      request.body = readForm(request.body);
      return true;
    }
  }
  return mixin(FormGuard);
}

function hasFormToken(body: unknown, formToken: string): boolean {
  const sent = (body as Record<string, unknown> | null | undefined)?.form_token;
  return typeof sent === 'string' && isSameSecret(sent, formToken);
}
