import { SIGNATURE_TOLERANCE_SECONDS } from './signatures.js';
import { CHANGE, CHANGES, CHARGE, PAYOUT, PROBLEM, PROVIDER, REPAYMENT, REVERSAL, SOURCE } from './objects.js';
import {
  CANCEL_REQUEST,
  CHARGE_REQUEST,
  END_REQUEST,
  PAYOUT_REQUEST,
  REPAYMENT_REQUEST,
  SOURCE_REQUEST,
} from './requests.js';
import { KEY, PROVIDER_ID } from './fields.js';
import type { JsonSchema, Shape } from './shape.js';

const SCHEMAS = {
  Charge: CHARGE,
  Repayment: REPAYMENT,
  Payout: PAYOUT,
  Reversal: REVERSAL,
  Source: SOURCE,
  Change: CHANGE,
  Changes: CHANGES,
  Provider: PROVIDER,
  Problem: PROBLEM,
  ChargeRequest: CHARGE_REQUEST,
  RepaymentRequest: REPAYMENT_REQUEST,
  PayoutRequest: PAYOUT_REQUEST,
  CancelRequest: CANCEL_REQUEST,
  SourceRequest: SOURCE_REQUEST,
  EndRequest: END_REQUEST,
} as const satisfies Record<string, Shape<unknown>>;

type SchemaName = keyof typeof SCHEMAS;

const content = (name: SchemaName) => ({
  'application/json': { schema: { $ref: `#/components/schemas/${name}` } },
});
const bodyOf = (name: SchemaName) => ({ required: true, content: content(name) });
const answer = (description: string, name: SchemaName) => ({ description, content: content(name) });
const parameter = (name: string, { schema }: Shape<unknown>) => ({ name, in: 'path', required: true, schema });

const REFUSED = answer('The body breaks this interface.', 'Problem');
const FORGED = answer('No secret signed the request, or its time is more than five minutes off.', 'Problem');
const NOT_FOUND = answer('The key is not known: code `not_found`.', 'Problem');
const CONFLICT = answer('The key has other content: code `key_conflict`.', 'Problem');
const TOO_LATE = answer('The key is not known and `begin_before` has passed: code `too_late`.', 'Problem');

function keyed(object: SchemaName, request: SchemaName, isTimed: boolean): JsonSchema {
  const name = object.toLowerCase();
  const errors = { 400: REFUSED, 401: FORGED, 409: CONFLICT };
  return {
    parameters: [parameter('key', KEY)],
    put: {
      operationId: `put${object}`,
      summary: `Create the ${name} of this key, or return it.`,
      requestBody: bodyOf(request),
      responses: { 200: answer(`The ${name}.`, object), ...errors, ...(isTimed && { 410: TOO_LATE }) },
    },
    get: reading(object),
  };
}

function reading(object: SchemaName): JsonSchema {
  return {
    operationId: `get${object}`,
    summary: `Read the ${object.toLowerCase()}.`,
    responses: { 200: answer(`The ${object.toLowerCase()}.`, object), 401: FORGED, 404: NOT_FOUND },
  };
}

const PATHS = {
  '/': {
    get: {
      operationId: 'getProvider',
      summary: 'Say whether real money moves.',
      responses: { 200: answer('The provider.', 'Provider'), 401: FORGED },
    },
  },
  '/charges/{key}': keyed('Charge', 'ChargeRequest', true),
  '/charges/{key}/cancel': {
    parameters: [parameter('key', KEY)],
    post: {
      operationId: 'cancelCharge',
      summary: 'Cancel the charge if it can still be; a key that is not known is stored as cancelled.',
      requestBody: bodyOf('CancelRequest'),
      responses: { 200: answer('The charge as it is now.', 'Charge'), 400: REFUSED, 401: FORGED },
    },
  },
  '/repayments/{key}': keyed('Repayment', 'RepaymentRequest', true),
  '/payouts/{key}': keyed('Payout', 'PayoutRequest', true),
  '/reversals/{id}': { parameters: [parameter('id', PROVIDER_ID)], get: reading('Reversal') },
  '/sources/{key}': keyed('Source', 'SourceRequest', false),
  '/sources/{key}/end': {
    parameters: [parameter('key', KEY)],
    post: {
      operationId: 'endSource',
      summary: 'End the source for good; charges of it can still be repaid.',
      requestBody: bodyOf('EndRequest'),
      responses: { 200: answer('The source.', 'Source'), 400: REFUSED, 401: FORGED, 404: NOT_FOUND },
    },
  },
  '/changes': {
    get: {
      operationId: 'getChanges',
      summary: 'List every change of every object, in order.',
      parameters: [
        {
          name: 'after',
          in: 'query',
          description: 'The `cursor` of an earlier page; absent: from the first change on.',
          schema: { type: 'string', maxLength: 200 },
        },
      ],
      responses: { 200: answer('The next page; an empty one is the end.', 'Changes'), 400: REFUSED, 401: FORGED },
    },
  },
};

const CALLBACK = {
  post: {
    operationId: 'sendCallback',
    summary: 'Sent by the provider to `<PUBLIC_URL>/provider/callbacks`, signed in the same way.',
    requestBody: bodyOf('Change'),
    responses: {
      204: { description: 'It is stored.' },
      400: { description: 'The body breaks this interface.' },
      401: { description: 'The signature is not valid.' },
      413: { description: 'The body is larger than 64 KiB.' },
      503: { description: 'It is not stored: send it again later.' },
    },
  },
};

/** Returns the OpenAPI document of the interface that a payment provider implements. */
export function providerOpenApi(): JsonSchema {
  const schemas = Object.fromEntries(Object.entries(SCHEMAS).map(([name, { schema }]) => [name, schema]));
  const header = (name: string, description: string) => ({ type: 'apiKey', in: 'header', name, description });
  return {
    openapi: '3.1.0',
    info: {
      title: 'Settle: interface of a payment provider',
      version: '1',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      description: 'What Settle asks of a payment provider. See providers.md for what each part promises.',
    },
    servers: [{ url: 'https://provider.example.com', description: 'The value of `FUNDING_PROVIDER_URL`.' }],
    security: [{ id: [], timestamp: [], signature: [] }],
    paths: PATHS,
    webhooks: { change: CALLBACK },
    components: {
      schemas,
      securitySchemes: {
        id: header('webhook-id', 'Unique id of the message.'),
        timestamp: header(
          'webhook-timestamp',
          `Seconds since 1970; refused if more than ${SIGNATURE_TOLERANCE_SECONDS} seconds off.`,
        ),
        signature: header(
          'webhook-signature',
          '`v1,` and the base64 of HMAC-SHA256 over id, timestamp and body, joined by points; several by spaces.',
        ),
      },
    },
  };
}
