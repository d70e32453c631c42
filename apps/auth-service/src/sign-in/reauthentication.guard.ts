import { Inject, Injectable, mixin, type CanActivate, type ExecutionContext, type Type } from '@nestjs/common';
import { LIMITS, type Settings } from '@settle/config';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { SETTINGS } from '../injection/providers.js';
import { deriveFormToken } from './session-cookie.js';
import { Sessions, type SignedInUser } from './sessions.js';
import { SignIn } from './sign-in.js';

/** Fields that the page does not repeat. */
const SECRET_FIELDS: ReadonlySet<string> = new Set(['form_token', 'current_password']);

/** A form that `CsrfGuard` has validated. */
interface ConfirmableForm {
  readonly form_token: string;
  readonly current_password?: string | undefined;
}

type CheckedRequest = FastifyRequest & { signedInUser: SignedInUser; readonly body: ConfirmableForm };

/** The user must enter the password again before the form is processed. Contains the submitted fields: never log it. */
export class ReauthenticationRequired extends Error {
  constructor(
    readonly action: string,
    /** The submitted fields with the session's form token and without the password. */
    readonly fields: readonly (readonly [name: string, value: string])[],
    readonly username: string,
    readonly isWrong: boolean,
    /** Sources of a content policy to which the form may redirect. */
    readonly formSources: readonly string[],
  ) {
    super('Enter your password again.');
  }
}

/**
 * Requires the password again if the user entered it too long ago: another person may be using the open browser. The
 * page repeats the form, so that the input is not lost. A correct password begins a new session, like signing in, and
 * the form is processed. A wrong one counts as a failed sign-in. Runs after `CsrfGuard`.
 * @param isDangerous selects the forms of the route that need it; absent: all
 * @param listFormSources sources of a content policy to which the form may redirect
 */
export function ReauthenticationGuard<Form extends ConfirmableForm>(
  isDangerous: (form: Form) => boolean = () => true,
  listFormSources: (settings: Settings) => readonly string[] = () => [],
): Type<CanActivate> {
  @Injectable()
  class Guard implements CanActivate {
    constructor(
      private readonly sessions: Sessions,
      private readonly signIn: SignIn,
      @Inject(SETTINGS) private readonly settings: Settings,
    ) {}

    async canActivate(context: ExecutionContext): Promise<boolean> {
      const http = context.switchToHttp();
      const request = http.getRequest<CheckedRequest>();
      const { signedInUser, body: form } = request;
      const ageMs = Date.now() - signedInUser.authenticatedAtMs;
      if (ageMs < LIMITS.auth.passwordAgainAfterMs || !isDangerous(form as Form)) return true;
      const { current_password: password } = form;
      const formSources = listFormSources(this.settings);
      if (password === undefined) throw createReauthenticationError(request, { isWrong: false, formSources });
      const credential = await this.signIn.reauthenticate(signedInUser, password, request);
      const exchange = { request, reply: http.getResponse<FastifyReply>() };
      const sessionId = credential && (await this.sessions.begin(credential, exchange));
      if (!sessionId) throw createReauthenticationError(request, { isWrong: true, formSources });
      const formToken = deriveFormToken(sessionId);
      request.signedInUser = { ...signedInUser, sessionId, formToken, authenticatedAtMs: Date.now() };
      return true;
    }
  }
  return mixin(Guard);
}

function createReauthenticationError(
  { url, body, formFields, signedInUser }: CheckedRequest,
  { isWrong, formSources }: Pick<ReauthenticationRequired, 'isWrong' | 'formSources'>,
): ReauthenticationRequired {
  const submitted = [...(formFields ?? [])].filter(([name]) => Object.hasOwn(body, name) && !SECRET_FIELDS.has(name));
  const fields = submitted.flatMap(([name, values]) => values.map((value) => [name, value] as const));
  const { username, formToken } = signedInUser;
  return new ReauthenticationRequired(url, [...fields, ['form_token', formToken]], username, isWrong, formSources);
}
