import { Inject, Injectable } from '@nestjs/common';
import type { Settings } from '@settle/config';
import { SettleError, type Scope } from '@settle/contracts';
import { DataSource, IsNull } from 'typeorm';
import { SETTINGS } from '../injection/providers.js';
import { App } from '../tables/app.entity.js';
import { createSuspendedAppError } from '../oauth/authorizations.js';
import { isS256Challenge } from '../oauth/pkce.js';
import {
  AuthorizationRequestError,
  type AuthorizationErrorCode,
  type AuthorizationRequest,
  type ResponseType,
} from './authorization-request.js';
import { allowsPlainHttp, isPlainHttp } from './http-redirects.js';
import { parseQuery, type QueryParameters } from '../http/query-parameters.js';
import { resolveRedirectUri } from './redirect-uri.js';
import { parseScopes } from '../oauth/scopes.js';

/** Returns the error for the app. */
type Refuse = (code: AuthorizationErrorCode, description: string) => AuthorizationRequestError;

const MAX_STATE_LENGTH = 4_096;
const SINGLE_PARAMETERS = ['response_type', 'scope', 'state', 'code_challenge', 'code_challenge_method'];

/**
 * Reads and validates authorization requests in the order of RFC 6749 4.2.2.1: no redirect happens before the app and its
 * redirect URI are known.
 */
@Injectable()
export class AuthorizationRequestReader {
  constructor(
    private readonly dataSource: DataSource,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  /**
   * Returns the request of a query string. Throws `invalid_request`, `missing_parameter`, and `not_permitted` (the app is
   * suspended) for an error page of this service, and `AuthorizationRequestError` for the app.
   */
  async read(query: string): Promise<AuthorizationRequest> {
    const parameters = parseQuery(query);
    const app = await this.#loadApp(parameters);
    const redirectUri = resolveAppRedirectUri(app, parameters);
    if (!allowsPlainHttp(this.settings)) rejectExpiredHttp(app, redirectUri);
    const target = { redirectUri, state: readState(parameters) };
    const refuse: Refuse = (code, description) => new AuthorizationRequestError(code, target, description);
    rejectInvalidParameters(parameters, target.state, refuse);
    const responseType = readResponseType(app, parameters, refuse);
    const challenge = responseType === 'code' ? readChallenge(app, parameters, refuse) : null;
    return { app, ...target, responseType, challenge, scopes: readScopes(parameters, refuse), query };
  }

  async #loadApp(parameters: QueryParameters): Promise<App> {
    const clientId = readSingleValue(parameters, 'client_id');
    if (!clientId) throw new SettleError('missing_parameter', 'The app did not send its client_id.');
    const app = await this.dataSource.getRepository(App).findOneBy({ clientId, deletedAt: IsNull() });
    if (!app) throw new SettleError('invalid_request', 'No app is registered with this client_id.');
    if (app.suspendedAt !== null) throw createSuspendedAppError();
    return app;
  }
}

function resolveAppRedirectUri(app: App, parameters: QueryParameters): string {
  if (app.redirectUrls.length === 0) {
    throw new SettleError('invalid_request', 'The app has no registered redirect URI.');
  }
  const redirectUri = resolveRedirectUri(app, readSingleValue(parameters, 'redirect_uri') || undefined);
  if (redirectUri === null) {
    throw new SettleError('invalid_request', 'The redirect_uri is not registered for this app.');
  }
  return redirectUri;
}

function rejectExpiredHttp({ httpRedirectsUntil }: App, redirectUri: string): void {
  if (!isPlainHttp(redirectUri) || httpRedirectsUntil === null || httpRedirectsUntil.getTime() > Date.now()) return;
  throw new SettleError('invalid_request', 'The app must register an https redirect URI: http is no longer allowed.');
}

function readSingleValue(parameters: QueryParameters, name: string): string | undefined {
  const [value, ...others] = parameters.get(name) ?? [];
  if (others.length > 0) throw new SettleError('invalid_request', `The parameter ${name} was sent more than once.`);
  return value;
}

/** Returns undefined for a parameter that is absent or empty, which is the same (RFC 6749 3.1). */
function readOptionalValue(parameters: QueryParameters, name: string): string | undefined {
  return parameters.get(name)?.[0] || undefined;
}

/** Returns null if there is no state, or if the state cannot be returned unchanged. */
function readState(parameters: QueryParameters): string | null {
  const [state, ...others] = parameters.get('state') ?? [];
  return state === undefined || others.length > 0 || state.length > MAX_STATE_LENGTH ? null : state;
}

function rejectInvalidParameters(parameters: QueryParameters, state: string | null, refuse: Refuse): void {
  const repeated = SINGLE_PARAMETERS.find((name) => (parameters.get(name)?.length ?? 0) > 1);
  if (repeated) throw refuse('invalid_request', `${repeated} was sent more than once.`);
  if (parameters.has('state') && state === null) {
    throw refuse('invalid_request', `state is longer than ${MAX_STATE_LENGTH} characters.`);
  }
}

function readResponseType(app: App, parameters: QueryParameters, refuse: Refuse): ResponseType {
  const responseType = readOptionalValue(parameters, 'response_type') ?? 'token';
  if (responseType !== 'token' && responseType !== 'code') {
    throw refuse('unsupported_response_type', 'response_type must be token or code.');
  }
  if (responseType === 'token' && !app.takesTokens) {
    throw refuse('unauthorized_client', 'This app accepts only codes: send response_type=code.');
  }
  return responseType;
}

/** Requires S256 (RFC 7636 4.3): without a method, the challenge would be the plain verifier. */
function readChallenge(app: App, parameters: QueryParameters, refuse: Refuse): string | null {
  const challenge = readOptionalValue(parameters, 'code_challenge') ?? null;
  const method = readOptionalValue(parameters, 'code_challenge_method') ?? null;
  const isRequired = app.requiresPkce || app.secretSha256 === null;
  if (challenge === null && method === null && !isRequired) return null;
  if (challenge === null || method !== 'S256' || !isS256Challenge(challenge)) {
    const message =
      'code_challenge_method must be S256, with a valid code_challenge. Apps without a secret and apps that require PKCE must send both.';
    throw refuse('invalid_request', message);
  }
  return challenge;
}

function readScopes(parameters: QueryParameters, refuse: Refuse): Scope[] {
  const [text = ''] = parameters.get('scope') ?? [];
  const scopes = parseScopes(text);
  if (!scopes) throw refuse('invalid_scope', 'scope is missing or names an unknown scope.');
  return scopes;
}
