import { Inject, Injectable } from '@nestjs/common';
import type { Settings } from '@settle/config';
import { SettleError, type Scope } from '@settle/contracts';
import { DataSource, IsNull } from 'typeorm';
import { SETTINGS } from '../providers.js';
import { App } from '../tables/app.entity.js';
import { createSuspendedAppError } from '../oauth/suspended-app-error.js';
import { isS256Challenge } from '../oauth/pkce.js';
import { AuthorizationRefused, type AuthorizationRequest, type ResponseType } from './authorization-request.js';
import { allowsPlainHttp, isPlainHttp } from './http-redirects.js';
import { readQuery, type QueryParameters } from './query-parameters.js';
import { resolveRedirectUri } from './redirect-uri.js';
import { readScopes } from './scopes.js';

type Answer = Pick<AuthorizationRequest, 'redirectUri' | 'state'>;

const LONGEST_STATE = 4_096;
const USED = ['response_type', 'scope', 'state', 'code_challenge', 'code_challenge_method'];

/** Reads authorization requests, in the order of RFC 6749 4.2.2.1: nobody is sent anywhere before app and address are known. */
@Injectable()
export class AuthorizationRequests {
  constructor(
    private readonly dataSource: DataSource,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  /**
   * The request that a query stands for. Errors: `invalid_request`, `missing_parameter` and, where the app is suspended,
   * `not_permitted`, for a page of our own; `AuthorizationRefused`, for the app.
   */
  async read(query: string): Promise<AuthorizationRequest> {
    const parameters = readQuery(query);
    const app = await this.#appOf(parameters);
    const redirectUri = redirectUriOf(app, parameters);
    if (!allowsPlainHttp(this.settings)) refuseEndedHttp(app, redirectUri);
    const answer = { redirectUri, state: stateOf(parameters) };
    refuseBrokenParameters(parameters, answer);
    const responseType = responseTypeOf(app, parameters, answer);
    const challenge = responseType === 'code' ? challengeOf(app, parameters, answer) : null;
    return {
      appId: app.clientId,
      appName: app.name,
      siteUrl: app.siteUrl,
      developerId: app.ownerId,
      hasSecret: app.secretSha256 !== null,
      ...answer,
      responseType,
      challenge,
      scopes: scopesOf(parameters, answer),
      query,
    };
  }

  async #appOf(parameters: QueryParameters): Promise<App> {
    const clientId = onlyValue(parameters, 'client_id');
    if (!clientId) throw new SettleError('missing_parameter', 'The app did not say which app it is (client_id).');
    const app = await this.dataSource.getRepository(App).findOneBy({ clientId, deletedAt: IsNull() });
    if (!app) throw new SettleError('invalid_request', 'No app is registered under this client_id.');
    if (app.suspendedAt !== null) throw createSuspendedAppError();
    return app;
  }
}

function redirectUriOf(app: App, parameters: QueryParameters): string {
  if (app.redirectUrls.length === 0) {
    throw new SettleError('invalid_request', 'The app has no redirect address on file, so nobody can be sent back.');
  }
  const redirectUri = resolveRedirectUri(app, onlyValue(parameters, 'redirect_uri'));
  if (redirectUri === null) {
    throw new SettleError('invalid_request', 'The redirect_uri is none of the addresses that the app registered.');
  }
  return redirectUri;
}

function refuseEndedHttp({ httpRedirectsUntil }: App, redirectUri: string): void {
  if (!isPlainHttp(redirectUri) || httpRedirectsUntil === null || httpRedirectsUntil.getTime() > Date.now()) return;
  throw new SettleError(
    'invalid_request',
    'The app must register an https redirect address: http is no longer allowed.',
  );
}

function onlyValue(parameters: QueryParameters, name: string): string | undefined {
  const [value, ...others] = parameters.get(name) ?? [];
  if (others.length > 0) throw new SettleError('invalid_request', `The parameter ${name} was sent more than once.`);
  return value;
}

/** Null also when it cannot be returned unchanged. */
function stateOf(parameters: QueryParameters): string | null {
  const [state, ...others] = parameters.get('state') ?? [];
  return state === undefined || others.length > 0 || state.length > LONGEST_STATE ? null : state;
}

function refuseBrokenParameters(parameters: QueryParameters, answer: Answer): void {
  const repeated = USED.find((name) => (parameters.get(name)?.length ?? 0) > 1);
  if (repeated) throw new AuthorizationRefused('invalid_request', answer, `${repeated} was sent more than once.`);
  if (parameters.has('state') && answer.state === null) {
    throw new AuthorizationRefused('invalid_request', answer, `state is longer than ${LONGEST_STATE} characters.`);
  }
}

function responseTypeOf(app: App, parameters: QueryParameters, answer: Answer): ResponseType {
  const [responseType = 'token'] = parameters.get('response_type') ?? [];
  if (responseType !== 'token' && responseType !== 'code') {
    throw new AuthorizationRefused('unsupported_response_type', answer, 'response_type must be token or code.');
  }
  if (responseType === 'token' && !app.takesTokens) {
    throw new AuthorizationRefused(
      'unauthorized_client',
      answer,
      'This app takes codes only: send response_type=code.',
    );
  }
  return responseType;
}

/** RFC 7636 4.3: without a method the challenge would be the verifier itself, in everybody's sight. */
function challengeOf(app: App, parameters: QueryParameters, answer: Answer): string | null {
  const [challenge = null] = parameters.get('code_challenge') ?? [];
  const [method = null] = parameters.get('code_challenge_method') ?? [];
  const isNeeded = app.requiresPkce || app.secretSha256 === null;
  if (challenge === null && method === null && !isNeeded) return null;
  if (challenge === null || method !== 'S256' || !isS256Challenge(challenge)) {
    const why =
      'code_challenge of the method S256 is needed: an app without a secret always sends one, and so does one that requires PKCE.';
    throw new AuthorizationRefused('invalid_request', answer, why);
  }
  return challenge;
}

function scopesOf(parameters: QueryParameters, answer: Answer): Scope[] {
  const [text = ''] = parameters.get('scope') ?? [];
  const scopes = readScopes(text);
  if (!scopes) throw new AuthorizationRefused('invalid_scope', answer, 'scope is missing or names an unknown scope.');
  return scopes;
}
