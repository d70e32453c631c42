import { Controller, HttpCode, Inject, Post, Req } from '@nestjs/common';
import type { Settings } from '@settle/config';
import { DEMO_APP, SettleError } from '@settle/contracts';
import { SecurityLog } from '@settle/observability';
import type { FastifyRequest } from 'fastify';
import { AuthorizationRequestReader } from '../authorize/authorization-request-reader.js';
import { AuthorizationRequestError, type AuthorizationRequest } from '../authorize/authorization-request.js';
import { GrantIssuer, type ResponseParameters } from '../authorize/grant-issuer.js';
import { SETTINGS } from '../injection/providers.js';
import { readForm, type FormFields } from '../oauth/form-body.js';
import { isSameOrigin } from '../sign-in/same-origin.js';
import { SignIn } from '../sign-in/sign-in.js';
import { FROZEN_FOR_READING } from '../tokens/frozen-for-reading.js';

const FIELDS = ['username', 'password', 'scope', 'client_id'];

/**
 * Issues the token of the client-side flow for a username and a password, without pages. Registered only with
 * `DEV_TOOLS`: an app must never see the password of a user.
 */
@Controller('dev/token')
export class DevTokenController {
  constructor(
    private readonly signIn: SignIn,
    private readonly requests: AuthorizationRequestReader,
    private readonly grants: GrantIssuer,
    private readonly security: SecurityLog,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  @Post()
  @HttpCode(200)
  async issue(@Req() http: FastifyRequest): Promise<ResponseParameters> {
    // Otherwise any web page could try passwords in the name of the developer's address.
    if (!isSameOrigin(http.headers, this.settings.publicUrl)) {
      throw new SettleError('not_permitted', 'Another site has sent this request.');
    }
    const form = readForm(http, FIELDS);
    const request = await this.#readRequest(form);
    const credentials = { login: form.get('username') ?? '', password: form.get('password') ?? '', request: http };
    const user = await this.signIn.verify(credentials);
    if (!user) throw new SettleError('invalid_grant', 'Wrong username or password.');
    if (user.readingFrozenAt !== null) throw new SettleError('account_frozen', FROZEN_FOR_READING);
    const { userId } = user;
    const { app, scopes } = request;
    const response = await this.grants.issue({ request, userId, scopes });
    this.security.write('consent_granted', { userId, appId: app.clientId, scopes });
    return response;
  }

  /** Reads the request as the authorization endpoint does, except that the caller receives every error. */
  async #readRequest(form: FormFields): Promise<AuthorizationRequest> {
    const fields = { client_id: form.get('client_id') ?? DEMO_APP.clientId, scope: form.get('scope') ?? '' };
    try {
      return await this.requests.read(new URLSearchParams(fields).toString());
    } catch (error) {
      if (!(error instanceof AuthorizationRequestError)) throw error;
      throw new SettleError(error.code === 'invalid_scope' ? error.code : 'invalid_request', error.message);
    }
  }
}
