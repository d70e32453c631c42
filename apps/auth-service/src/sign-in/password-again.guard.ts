import { Injectable, mixin, type CanActivate, type ExecutionContext, type Type } from '@nestjs/common';
import { LIMITS } from '@settle/config';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { formTokenOf } from './session-cookie.js';
import { Sessions, type SignedIn } from './sessions.js';
import { SignIn } from './sign-in.js';

/** A checked form, as `OwnForm` leaves it. */
interface ConfirmableForm {
  readonly form_token: string;
  readonly current_password?: string;
}

type CheckedRequest = FastifyRequest & { signedIn: SignedIn; readonly body: ConfirmableForm };

/** The form is not acted on before the password is typed again. Holds what the page repeats: never log it. */
export class PasswordAgain extends Error {
  constructor(
    /** The path that the form was sent to. */
    readonly action: string,
    /** Its fields as sent, with the form token of the session, without the password. */
    readonly fields: readonly (readonly [name: string, value: string])[],
    readonly username: string,
    readonly isWrong: boolean,
  ) {
    super('Type your password again.');
  }
}

/**
 * Asks for the password again before a form is acted on whose user typed it too long ago: an open browser may be used by
 * another person. The page that asks repeats the form, so that nothing typed is lost. A right password begins a new
 * session, as signing in does, and the form is acted on. Wrong ones count as failed sign-ins. Runs after `OwnForm`.
 * @param isDangerous which forms of the route need it; all of them without it
 */
export function AskPasswordAgain<Form extends ConfirmableForm>(
  isDangerous: (form: Form) => boolean = () => true,
): Type<CanActivate> {
  @Injectable()
  class PasswordAgainGuard implements CanActivate {
    constructor(
      private readonly sessions: Sessions,
      private readonly signIn: SignIn,
    ) {}

    async canActivate(context: ExecutionContext): Promise<boolean> {
      const http = context.switchToHttp();
      const request = http.getRequest<CheckedRequest>();
      const { signedIn, body: form } = request;
      const sinceMs = Date.now() - signedIn.authenticatedAtMs;
      if (sinceMs < LIMITS.auth.passwordAgainAfterMs || !isDangerous(form as Form)) return true;
      const { current_password: password } = form;
      if (password === undefined) throw passwordAgain(request, false);
      const credential = await this.signIn.verifyAgain(signedIn, password, request);
      const sessionId =
        credential && (await this.sessions.begin(credential, request, http.getResponse<FastifyReply>()));
      if (!sessionId) throw passwordAgain(request, true);
      request.signedIn = { ...signedIn, sessionId, authenticatedAtMs: Date.now() };
      return true;
    }
  }
  return mixin(PasswordAgainGuard);
}

function passwordAgain({ url, body, signedIn }: CheckedRequest, isWrong: boolean): PasswordAgain {
  const fields = Object.entries({ ...body, form_token: formTokenOf(signedIn.sessionId) });
  const sent = fields.filter(([name, value]) => name !== 'current_password' && value !== undefined);
  return new PasswordAgain(url, sent, signedIn.username, isWrong);
}
