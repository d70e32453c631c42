import { isDeepStrictEqual } from 'node:util';
import { SANDBOX_TEST_USER, type ErrorCode } from '@settle/contracts';
import { scriptedBalanceCents, scriptedOutcomes } from '@settle/payments-domain';
import { baseUrlOf } from '../settings/environment.js';
import type { GatewaySettings } from '../settings/gateway-settings.js';
import { RESPONSE_SCHEMAS } from '../responses/response-schemas.js';
import {
  TOLD_TO_APPS,
  WRONG_METHOD_RESPONSE,
  authorizationPaths,
  securityFor,
  securitySchemes,
} from './authorization.js';
import { OPERATIONS, REFUSALS_OF_ALL, type Operation } from './operations.js';
import { HEADERS, errorExamples, errorTable, headersWith, refusalResponses } from './refusals.js';
import { requestSchemas } from './request-schemas.js';
import { ref, type Schema } from '../schemas/schema.js';
import { TOKEN_ENDPOINT_REFUSALS } from './token-endpoints.js';

const BODY_TYPES = ['application/x-www-form-urlencoded', 'application/json', 'multipart/form-data'];

/** Responses of addresses without a documented operation. */
const OF_OTHER_ADDRESSES: readonly ErrorCode[] = [
  'resource_not_found',
  'method_not_allowed',
  'unsupported_media_type',
  'outcome_unknown',
];

/** Refusals that many calls have, by HTTP status. */
const SHARED_RESPONSES: Readonly<Record<string, Schema>> = {
  ...refusalResponses([...REFUSALS_OF_ALL, ...OF_OTHER_ADDRESSES]),
  405: WRONG_METHOD_RESPONSE,
};

const REPLAYED: Schema = {
  'Idempotent-Replayed': {
    description: 'Present if this is the response to an earlier request with the same `Idempotency-Key`.',
    schema: { type: 'string', const: 'true' },
  },
};

const { id: TEST_ID, email: TEST_EMAIL, phone: TEST_PHONE } = SANDBOX_TEST_USER;
const TEST_USER = [TEST_ID, TEST_EMAIL, TEST_PHONE.slice(1)].map((name) => `\`${name}\``).join(', ');
const OUTCOMES = scriptedOutcomes()
  .map(({ action, amountCents, outcome }) => {
    const sign = action === 'charge' ? '-' : '';
    const balance = (scriptedBalanceCents({ action, amountCents }) / 100).toFixed(2);
    return `| ${action} | ${sign}${(amountCents / 100).toFixed(2)} | ${outcome} | ${balance} |`;
  })
  .join('\n');

const DESCRIPTION = `Send payments to users and request payments from them. An app acts on behalf of a user who authorized it through OAuth 2.0.

- A response has the result in \`data\`, pagination in \`pagination\` and an error in \`error\`. Every success has the status 200.
- A field without a value is present and null. Payments in lists, and in the response to PUT, omit \`medium\`, \`fee\` and \`refund\`.
- Send the access token in one place: the header, the query, or the field \`access_token\` of a form or a JSON object.
- HEAD returns the headers of GET without a body. OPTIONS returns 204 with \`Allow\`. A method that a path does not support is 405.
- Parameters that are not described are ignored. A parameter that is repeated, or sent in both the query and the body, is 400.
- The [API reference](/docs/interface.md) has every rule.

## Sandbox

Every operation also exists below \`/sandbox/v1\`, with the same tokens and users and with test money. Each wallet opens with
10.00, and there are no funding sources. Sandbox payments are separate from real payments ([sandbox](/docs/sandbox.md)). The
amount of a payment with the test user, ${TEST_USER}, decides its outcome, and no balance changes:

| Action | \`amount\` | Status | \`balance\` in the response |
| --- | --- | --- | --- |
${OUTCOMES}

## Errors

The \`message\` says what to do and may change. Programs should use the \`code\`, which is stable.

`;

/** The OpenAPI 3.1 document of what the gateway serves. */
export function openApiDocument({ publicUrl, payments }: Pick<GatewaySettings, 'publicUrl' | 'payments'>): Schema {
  const baseUrl = baseUrlOf('live', publicUrl);
  const servers = [
    { url: baseUrl, description: 'Real money' },
    { url: baseUrlOf('sandbox', publicUrl), description: 'The sandbox' },
  ];
  return {
    openapi: '3.1.0',
    info: {
      title: 'Settle',
      version: 'v1',
      summary: 'A person-to-person payment wallet',
      description: `${DESCRIPTION}<details><summary>All codes</summary>\n\n${errorTable(documentedCodes())}\n\n</details>`,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers,
    tags: ['Users', 'Payments', 'Authorization'].map((name) => ({ name })),
    paths: { ...operationPaths(), ...authorizationPaths(publicUrl) },
    components: {
      securitySchemes: securitySchemes(baseUrl),
      schemas: {
        ...RESPONSE_SCHEMAS,
        ...requestSchemas(payments.maxAmountCents),
      },
      headers: HEADERS,
      responses: SHARED_RESPONSES,
      examples: errorExamples(),
    },
  };
}

function documentedCodes(): Set<ErrorCode> {
  const ofOperations = OPERATIONS.flatMap(({ refusals = [] }) => refusals);
  return new Set([
    ...ofOperations,
    ...REFUSALS_OF_ALL,
    ...OF_OTHER_ADDRESSES,
    ...TOLD_TO_APPS,
    ...TOKEN_ENDPOINT_REFUSALS,
  ]);
}

function operationPaths(): Record<string, Schema> {
  const paths: Record<string, Schema> = {};
  for (const row of OPERATIONS) paths[row.path] = { ...paths[row.path], [row.method]: operation(row) };
  return paths;
}

function operation({
  id,
  path,
  summary,
  description,
  scopes,
  parameters,
  body,
  response,
  refusals = [],
}: Operation): Schema {
  return {
    operationId: id,
    tags: [path.startsWith('/payments') ? 'Payments' : 'Users'],
    summary,
    description: `${description}\n\nScope: ${scopes.map((scope) => `\`${scope}\``).join(' or ')}.`,
    security: securityFor(scopes),
    ...(parameters && { parameters }),
    ...(body !== undefined && { requestBody: { content: contentOf(body) } }),
    responses: {
      200: {
        description: String(RESPONSE_SCHEMAS[response]?.['description'] ?? ''),
        headers: headersWith(body === undefined ? {} : REPLAYED),
        content: { 'application/json': { schema: ref(response) } },
      },
      ...refusalsOf([...REFUSALS_OF_ALL, ...refusals]),
    },
  };
}

function refusalsOf(codes: readonly ErrorCode[]): Schema {
  return Object.fromEntries(
    Object.entries(refusalResponses(codes)).map(([status, response]) => {
      const isShared = isDeepStrictEqual(response, SHARED_RESPONSES[status]);
      return [status, isShared ? { $ref: `#/components/responses/${status}` } : response];
    }),
  );
}

function contentOf(body: string): Schema {
  return Object.fromEntries(BODY_TYPES.map((type) => [type, { schema: ref(body) }]));
}
