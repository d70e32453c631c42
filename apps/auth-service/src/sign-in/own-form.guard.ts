import { Inject, mixin, type CanActivate, type ExecutionContext, type Type } from '@nestjs/common';
import type { Settings } from '@settle/config';
import { SettleError } from '@settle/contracts';
import { SecurityLog } from '@settle/observability';
import { plainToInstance } from 'class-transformer';
import { validateSync } from 'class-validator';
import type { FastifyRequest } from 'fastify';
import { SETTINGS } from '../providers.js';
import { sameSecret } from '../secrets.js';
import { isSameOrigin } from './same-origin.js';
import { formTokenOf, SessionCookie } from './session-cookie.js';

/** Lets a form through that our own page in the same browser sent, and checks its fields. */
export function OwnForm<Form extends object>(FormClass: Type<Form>): Type<CanActivate> {
  class OwnFormGuard implements CanActivate {
    constructor(
      @Inject(SETTINGS) private readonly settings: Settings,
      private readonly cookie: SessionCookie,
      private readonly security: SecurityLog,
    ) {}

    canActivate(context: ExecutionContext): boolean {
      const request = context.switchToHttp().getRequest<FastifyRequest>();
      const sessionId = this.cookie.read(request);
      const isOurs = isSameOrigin(request.headers, this.settings.publicUrl);
      if (!isOurs || sessionId === null || !carriesToken(request.body, formTokenOf(sessionId))) {
        this.security.write('form_refused');
        throw new SettleError(
          'not_permitted',
          'This form did not come from our page in this browser, or the page is too old. Go back, load it anew and try again.',
        );
      }
      request.body = readForm(FormClass, request.body);
      return true;
    }
  }
  return mixin(OwnFormGuard);
}

function carriesToken(body: unknown, formToken: string): boolean {
  const sent = (body as Record<string, unknown> | null | undefined)?.form_token;
  return typeof sent === 'string' && sameSecret(sent, formToken);
}

function readForm<Form extends object>(FormClass: Type<Form>, body: unknown): Form {
  const form = plainToInstance(FormClass, body);
  if (validateSync(form, { whitelist: true }).length > 0) {
    throw new SettleError('invalid_request', 'A field of the form is missing, repeated, too long or no text.');
  }
  return form;
}
