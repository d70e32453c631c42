import { Inject, mixin, type CanActivate, type ExecutionContext, type Type } from '@nestjs/common';
import type { Settings } from '@settle/config';
import { SettleError } from '@settle/contracts';
import { SecurityLog } from '@settle/observability';
import { plainToInstance } from 'class-transformer';
import { validateSync } from 'class-validator';
import type { FastifyRequest } from 'fastify';
import { SETTINGS } from '../injection/providers.js';
import { isSameSecret } from '../secrets/secrets.js';
import { isSameOrigin } from './same-origin.js';
import { deriveFormToken, SessionCookie } from './session-cookie.js';

/** Refuses a form that was not sent by this service's page in the same browser, and validates its fields. */
export function CsrfGuard<Form extends object>(FormClass: Type<Form>): Type<CanActivate> {
  class FormGuard implements CanActivate {
    constructor(
      @Inject(SETTINGS) private readonly settings: Settings,
      private readonly cookie: SessionCookie,
      private readonly security: SecurityLog,
    ) {}

    canActivate(context: ExecutionContext): boolean {
      const request = context.switchToHttp().getRequest<FastifyRequest>();
      const sessionId = this.cookie.read(request);
      const hasSameOrigin = isSameOrigin(request.headers, this.settings.publicUrl);
      if (!hasSameOrigin || sessionId === null || !hasFormToken(request.body, deriveFormToken(sessionId))) {
        this.security.write('form_refused');
        throw new SettleError(
          'not_permitted',
          'This form was not sent from our page in this browser, or the page is too old. Go back, reload the page and try again.',
        );
      }
      request.body = validateForm(FormClass, request.body);
      return true;
    }
  }
  return mixin(FormGuard);
}

function hasFormToken(body: unknown, formToken: string): boolean {
  const sent = (body as Record<string, unknown> | null | undefined)?.form_token;
  return typeof sent === 'string' && isSameSecret(sent, formToken);
}

function validateForm<Form extends object>(FormClass: Type<Form>, body: unknown): Form {
  const form = plainToInstance(FormClass, body);
  if (validateSync(form, { whitelist: true }).length > 0) {
    throw new SettleError('invalid_request', 'A field of the form is missing, repeated, too long or not text.');
  }
  return form;
}
