import {
  DEMO_APP,
  REQUEST_ACTIONS,
  SCOPES,
  capitalize,
  enumerate,
  type ErrorCode,
  type Scope,
} from '@settle/contracts';
import { refusalResponse, refusalResponses } from './refusals.js';
import { TEXT_PATTERN } from '../schemas/patterns.js';
import { tokenPaths } from './token-endpoints.js';
import type { Schema } from '../schemas/schema.js';

const SCOPE_MEANINGS: Readonly<Record<Scope, string>> = {
  make_payments: `${capitalize(enumerate(['create', ...REQUEST_ACTIONS]))} payments; read them.`,
  access_profile: 'Read users, friends and payments.',
  access_email: '`email` in users is not null.',
  access_phone: '`phone` in users is not null.',
  access_balance: '`balance` in `GET /me` is not null.',
  access_friends: 'Read friends.',
  access_payment_history: 'Read payments.',
  access_feed: 'Accepted for former clients; opens nothing.',
};

/** Error codes that an app receives at its redirect URI, beside `access_denied`. */
export const TOLD_TO_APPS: readonly ErrorCode[] = ['invalid_scope', 'unsupported_response_type', 'invalid_request'];

/**
 * How a call shows its token, and an app its secret. A form or JSON field is a further place: it stands in the schemas
 * of the bodies. @param baseUrl ends with `/v1`
 */
export function securitySchemes(baseUrl: string): Schema {
  const authorizationUrl = `${baseUrl}/oauth/authorize`;
  const tokenUrl = `${baseUrl}/oauth/access_token`;
  return {
    oauth2: {
      type: 'oauth2',
      description: [
        'The user lets an app in at the authorization page. The token of the client-side flow (implicit) lives 30',
        'minutes, that of the server-side flow (authorization code) 60 days.',
      ].join(' '),
      flows: {
        implicit: { authorizationUrl, scopes: SCOPE_MEANINGS },
        authorizationCode: { authorizationUrl, tokenUrl, refreshUrl: tokenUrl, scopes: SCOPE_MEANINGS },
      },
    },
    app: { type: 'http', scheme: 'basic', description: '`client_id` and `client_secret` of an app.' },
    header: { type: 'http', scheme: 'bearer', description: 'The token in the header `Authorization: Bearer`.' },
    query: { type: 'apiKey', in: 'query', name: 'access_token', description: 'The token in the query.' },
  };
}

/** A token with any one of these scopes, in any place. */
export function securityFor(scopes: readonly Scope[]): readonly Schema[] {
  return [...scopes.map((scope) => ({ oauth2: [scope] })), { header: [] }, { query: [] }];
}

const parameter = (name: string, description: string, schema: Schema = { type: 'string' }, required = false) => ({
  name,
  in: 'query',
  required,
  description,
  schema,
});

const HTML = { 'text/html': { schema: { type: 'string' } } };

/** Refusals of one status, each of which a person sees as a page and a program as JSON. */
function pageOrJson(...codes: ErrorCode[]): Schema {
  const { description, content } = refusalResponse(codes);
  return { description, content: { ...HTML, ...(content as Schema) } };
}

/** Where a person may look, as where programs call: which methods an address takes. */
export const WRONG_METHOD_RESPONSE: Schema = {
  ...refusalResponse(['method_not_allowed']),
  ...pageOrJson('method_not_allowed'),
};

/** Responses of any page. */
const OF_ANY_PAGE = {
  ...refusalResponses(['payload_too_large', 'uri_too_long', 'rate_limited', 'headers_too_large', 'internal_error']),
  503: pageOrJson('service_unavailable'),
};

const AUTHORIZATION_PAGE = {
  operationId: 'authorize',
  tags: ['Authorization'],
  summary: "Ask a user to let the app in: send the user's browser here",
  description: [
    'The user signs in, sees which app asks for what, and allows or denies it. Then the browser goes to the redirect',
    'address with `access_token` or `code`, or with `error=access_denied` and `error_description`; with `state`, if one',
    'was sent, and with `iss`, in the query. The user may allow fewer scopes than were asked for: `scope` then says which',
    'beside `access_token`, and in the answer to a code. Without a registered redirect URI the browser is not redirected.',
    'A code is asked for without a page when the user has allowed exactly the same before to an app with a secret.',
  ].join(' '),
  security: [],
  parameters: [
    parameter('client_id', 'The app.', { type: 'string', minLength: 1 }, true),
    parameter(
      'scope',
      'Scopes, separated by spaces or commas.',
      { type: 'string', examples: [SCOPES.slice(0, 2).join(' ')] },
      true,
    ),
    parameter('redirect_uri', 'Where to send the user afterwards, as on file; else the first address on file.', {
      type: 'string',
      format: 'uri',
    }),
    parameter('response_type', 'What to send there: a token for 30 minutes, or a code for one of 60 days.', {
      type: 'string',
      enum: ['token', 'code'],
      default: 'token',
    }),
    parameter('code_challenge', 'SHA-256 of `code_verifier` in base64url. An app without a secret always sends one.', {
      type: 'string',
      pattern: '^[A-Za-z0-9_-]{43}$',
    }),
    parameter('code_challenge_method', 'Goes with `code_challenge`.', { type: 'string', enum: ['S256'] }),
    parameter('state', 'Returned unchanged.', { type: 'string', maxLength: 4_096 }),
  ],
  responses: {
    200: { description: 'The page that asks the user to sign in, or whether to let the app in.', content: HTML },
    303: {
      description: `The app is answered at its address: with a code that was allowed before, or, once the user is signed in, with the fault of its request, \`error\` being one of ${TOLD_TO_APPS.join(', ')}, unauthorized_client.`,
      headers: { Location: { required: true, schema: { type: 'string', format: 'uri' } } },
    },
    400: {
      ...pageOrJson('invalid_request'),
      description:
        'No such app, no such address of it, or no readable request; or another fault of the request, while the user is not signed in: the page has a link to the address of the app, with `error` and `state`.',
    },
    403: {
      ...pageOrJson('not_permitted', 'account_frozen'),
      description: 'The app is suspended, or the account of the user who is signed in is frozen for reading.',
    },
    ...OF_ANY_PAGE,
  },
};

/** A query holds no NUL. */
const TEXT = { type: 'string', pattern: TEXT_PATTERN };

const CALLBACK_PAGE = {
  operationId: 'demoCallback',
  tags: ['Authorization'],
  summary: 'The redirect address of the demo app',
  description: 'A page that shows the token it is called with. Only with the demo data: else there is nothing.',
  security: [],
  parameters: [
    parameter('access_token', 'The token.', TEXT),
    parameter('error', 'Why there is none.', TEXT),
    parameter('error_description', 'The same in words.', TEXT),
    parameter('state', 'What the app sent.', TEXT),
    parameter('iss', 'Who answers.', TEXT),
  ],
  responses: {
    200: { description: 'The page.', content: HTML },
    400: pageOrJson('invalid_request'),
    404: pageOrJson('resource_not_found'),
    ...OF_ANY_PAGE,
  },
};

/** The pages that belong to authorization, by path. @param publicUrl the demo's page is not below the base address */
export function authorizationPaths(publicUrl: string): Readonly<Record<string, Schema>> {
  return {
    '/oauth/authorize': { get: AUTHORIZATION_PAGE },
    ...tokenPaths(publicUrl),
    [DEMO_APP.redirectPath]: { servers: [{ url: publicUrl }], get: CALLBACK_PAGE },
  };
}
