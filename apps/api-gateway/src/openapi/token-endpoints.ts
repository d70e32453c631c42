import { SCOPES, type ErrorCode } from '@settle/contracts';
import { ACCESS_TOKEN } from './request-schemas.js';
import { REFUSALS_OF_ANY_ADDRESS, TOKEN_REFUSALS, headersWith, refusalResponses } from './refusals.js';
import { BALANCE } from '../responses/response-schemas.js';
import { record, ref, text, type Schema } from '../schemas/schema.js';

/** Refusals of addresses that read a form, and whose outcome may stay unknown. */
const OF_ANY_FORM: readonly ErrorCode[] = [...REFUSALS_OF_ANY_ADDRESS, 'unsupported_media_type', 'outcome_unknown'];
const OF_REVOCATION: readonly ErrorCode[] = [...OF_ANY_FORM, 'invalid_grant', 'invalid_client'];
/** Refusals of the address at which apps get tokens. */
export const TOKEN_ENDPOINT_REFUSALS: readonly ErrorCode[] = [
  ...OF_REVOCATION,
  'invalid_scope',
  'unsupported_grant_type',
];

const headerOf = (description: string): Schema => ({ description, schema: { type: 'string' } });

/** Headers of every response of auth-service. */
const PROTECTION: Schema = {
  'Content-Security-Policy': headerOf('Nothing may be loaded.'),
  'X-Frame-Options': headerOf('No frame may show it.'),
  'Referrer-Policy': headerOf('Browsers send no `Referer` header.'),
  'Cross-Origin-Opener-Policy': headerOf('Other windows stay apart.'),
  'Cross-Origin-Resource-Policy': headerOf('Other pages stay apart.'),
};

/** A form, whole or in parts. */
const formOf = (schema: Schema): Schema => ({
  'application/x-www-form-urlencoded': { schema },
  'multipart/form-data': { schema },
});
const APP = {
  client_id: text('The app, unless the header says it.'),
  client_secret: text('Its secret, unless the header says it or it has none. Never in the URL.'),
};

const TOKEN_REQUEST: Schema = {
  type: 'object',
  description: 'Either a code or a refresh token.',
  properties: {
    ...APP,
    grant_type: text('May be left out.', { enum: ['authorization_code', 'refresh_token'] }),
    code: text('From the redirect, at most 60 seconds old. There is one try.', { minLength: 1 }),
    redirect_uri: text(
      'The address that the code was sent to; `code`, `state` and `iss` after it are cut off. May be left out.',
    ),
    code_verifier: text('What `code_challenge` was made from.', { pattern: '^[A-Za-z0-9._~-]{43,128}$' }),
    refresh_token: text(
      'The newest of this authorization. It works once, and again for 10 seconds: the answer brings the next.',
      {
        minLength: 1,
      },
    ),
    scope: text('With a refresh token, for an access token of fewer scopes.'),
  },
  oneOf: ['code', 'refresh_token'].map((name) => ({ title: `with a ${name}`, required: [name] })),
};

const REVOCATION_REQUEST: Schema = {
  type: 'object',
  properties: {
    ...APP,
    token: text('An access token or a refresh token of the app.', { minLength: 1 }),
    token_type_hint: text('Not needed.'),
  },
  required: ['token'],
};

const TOKEN_FIELDS: Readonly<Record<string, Schema>> = {
  access_token: text('For calls, 60 days.'),
  expires_in: { type: 'integer', minimum: 1, description: 'Its life in seconds.', examples: [5_184_000] },
  token_type: text('How to send it.', { const: 'bearer' }),
  scope: text('The granted scopes, separated by spaces.', { examples: [SCOPES.slice(0, 2).join(' ')] }),
  refresh_token: text('For the next access token: it works once, and for 120 days.'),
  user: ref('User'),
  balance: BALANCE,
};
const TOKENS = record('Tokens, and whose they are.', TOKEN_FIELDS);

const strings = (description: string): Schema => ({ type: 'array', items: { type: 'string' }, description });
const uri = (description: string): Schema => text(description, { format: 'uri' });
const METADATA = record('Where everything is, as RFC 8414 names it.', {
  issuer: uri('`iss` of every authorization answer.'),
  authorization_endpoint: uri('Where to send users.'),
  token_endpoint: uri('Where to get tokens.'),
  revocation_endpoint: uri('Where to give them back.'),
  service_documentation: uri('This reference.'),
  scopes_supported: strings('All scopes.'),
  response_types_supported: strings('What may be asked for.'),
  response_modes_supported: strings('Where it stands in the redirect.'),
  grant_types_supported: strings('What tokens are given for.'),
  code_challenge_methods_supported: strings('Methods of PKCE.'),
  token_endpoint_auth_methods_supported: strings('How an app may say who it is.'),
  revocation_endpoint_auth_methods_supported: strings('The same.'),
  authorization_response_iss_parameter_supported: { type: 'boolean', description: '`iss` is always there.' },
});

const PRAGMA = { Pragma: headerOf('For caches of old.') };
const json = (schema: Schema, description: string, headers: Schema = {}): Schema => ({
  description,
  headers: headersWith({ ...PROTECTION, ...headers }),
  content: { 'application/json': { schema } },
});
const nothing = (description: string): Schema => ({ description, headers: headersWith(PROTECTION) });

function refusals(codes: readonly ErrorCode[], more: Schema = {}): Schema {
  const responses = Object.entries(refusalResponses(codes)) as [string, { headers: Schema }][];
  return Object.fromEntries(
    responses.map(([status, response]) => {
      return [status, { ...response, headers: { ...PROTECTION, ...more, ...response.headers } }];
    }),
  );
}

const ISSUE = {
  operationId: 'getTokens',
  tags: ['Authorization'],
  summary: 'Tokens for a code, or for a refresh token',
  description: [
    'The answer stands at the top level, not in `data`. A code has one try: whatever is wrong with it, it is used up.',
    'A code that comes a second time, or a refresh token that comes again 10 seconds after its first use, was stolen:',
    'all tokens of its authorization are revoked. An app that has a secret always sends it.',
  ].join(' '),
  security: [{ app: [] }, {}],
  requestBody: { required: true, content: formOf(TOKEN_REQUEST) },
  responses: { 200: json(TOKENS, 'Tokens, and whose they are.', PRAGMA), ...refusals(TOKEN_ENDPOINT_REFUSALS, PRAGMA) },
};

const CARRIED_TOKEN: Schema = {
  type: 'object',
  properties: { access_token: ACCESS_TOKEN },
};

const GIVE_BACK = {
  operationId: 'giveTokenBack',
  tags: ['Authorization'],
  summary: 'Revoke the access token that the request carries',
  description: [
    'And all tokens of its authorization. They are refused everywhere within a second. The token stands in the header, the',
    'query, or a field `access_token` of a form or a JSON object: in one of them.',
  ].join(' '),
  security: [{ header: [] }, { query: [] }, {}],
  requestBody: {
    required: false,
    content: { ...formOf(CARRIED_TOKEN), 'application/json': { schema: CARRIED_TOKEN } },
  },
  responses: {
    204: nothing('It is revoked.'),
    ...refusals([...OF_ANY_FORM, ...TOKEN_REFUSALS]),
  },
};

const REVOKE = {
  operationId: 'revoke',
  tags: ['Authorization'],
  summary: 'Revoke a token (RFC 7009)',
  description:
    'And all tokens of its authorization. They are refused everywhere within a second. An unknown token is 200 as well.',
  security: [{ app: [] }, {}],
  requestBody: { required: true, content: formOf(REVOCATION_REQUEST) },
  responses: {
    200: json(record('Nothing.', {}), 'It is revoked, or was never there.'),
    ...refusals(OF_REVOCATION),
  },
};

const DISCOVER = {
  operationId: 'authorizationServer',
  tags: ['Authorization'],
  summary: 'Where everything is (RFC 8414)',
  security: [],
  responses: { 200: json(METADATA, 'The metadata.'), ...refusals(REFUSALS_OF_ANY_ADDRESS) },
};

/** The token endpoints by path. @param publicUrl the metadata is not below the base address */
export function tokenPaths(publicUrl: string): Readonly<Record<string, Schema>> {
  return {
    '/oauth/access_token': { post: ISSUE, delete: GIVE_BACK },
    '/oauth/revoke': { post: REVOKE },
    '/.well-known/oauth-authorization-server': { servers: [{ url: publicUrl }], get: DISCOVER },
  };
}
