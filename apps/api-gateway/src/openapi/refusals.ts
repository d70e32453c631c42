import { ERROR_CATALOGUE, type CatalogueEntry, type ErrorCode } from '@settle/contracts';
import { errorSchema } from '../responses/response-schemas.js';
import { ERROR_EXAMPLES } from './error-examples.js';
import type { Schema } from '../schemas/schema.js';

const CATALOGUE: Readonly<Record<ErrorCode, CatalogueEntry>> = ERROR_CATALOGUE;
const CODES = Object.keys(CATALOGUE) as ErrorCode[];

/** Refusals that every address can answer with. */
export const REFUSALS_OF_ANY_ADDRESS: readonly ErrorCode[] = [
  'invalid_request',
  'payload_too_large',
  'uri_too_long',
  'rate_limited',
  'headers_too_large',
  'internal_error',
  'service_unavailable',
];

/** Refusals of requests that carry an access token. */
export const TOKEN_REFUSALS: readonly ErrorCode[] = [
  'missing_token',
  'invalid_token',
  'expired_token',
  'revoked_token',
];

const count = { type: 'integer', minimum: 0 };

/** Headers that any answer has, by name. */
export const HEADERS: Readonly<Record<string, Schema>> = {
  'X-Request-Id': {
    description: 'Finds the request in the logs.',
    required: true,
    schema: { type: 'string', format: 'uuid' },
  },
  'Cache-Control': {
    description: 'Forbids caches to store the response.',
    required: true,
    schema: { type: 'string', const: 'no-store, private' },
  },
  'X-Content-Type-Options': {
    description: 'The answer is of the type that Content-Type says.',
    required: true,
    schema: { type: 'string', const: 'nosniff' },
  },
  'Strict-Transport-Security': {
    description: 'There where the product is reached over https: browsers use nothing else for a year.',
    schema: { type: 'string', const: 'max-age=31536000' },
  },
  'RateLimit-Limit': { description: 'Requests that may be made at once, of the nearest limit.', schema: count },
  'RateLimit-Remaining': { description: 'Requests that may follow at once.', schema: count },
  'RateLimit-Reset': { description: 'Seconds until all of them may be made again.', schema: count },
};

const REFS = Object.fromEntries(Object.keys(HEADERS).map((name) => [name, { $ref: `#/components/headers/${name}` }]));

const CHALLENGE = {
  description: 'What is wrong with the token, or how an app says who it is.',
  schema: { type: 'string', pattern: '^(Bearer|Basic)( |$)' },
};
const WAIT = { description: 'Seconds to wait.', schema: { type: 'integer', minimum: 1 } };
const METHODS = {
  description: 'The methods that the address takes.',
  schema: { type: 'string', pattern: '^[A-Z]+(, [A-Z]+)*$' },
};

/** Further headers of errors with a status. */
const HEADERS_OF_STATUS: Readonly<Record<number, Schema>> = {
  401: { 'WWW-Authenticate': { ...CHALLENGE, required: true } },
  403: { 'WWW-Authenticate': CHALLENGE },
  405: { Allow: { ...METHODS, required: true } },
  409: { 'Retry-After': WAIT },
  429: { 'Retry-After': { ...WAIT, required: true } },
  503: { 'Retry-After': { ...WAIT, required: true } },
};

/** The headers of an answer: those of any, and its own. */
export function headersWith(own: Schema = {}): Schema {
  return { ...REFS, ...own };
}

/** The answers that stand for these codes, by HTTP status. */
export function refusalResponses(codes: readonly ErrorCode[]): Readonly<Record<string, Schema>> {
  const statuses = [...new Set(codes.map(statusOf))].sort((left, right) => left - right);
  return Object.fromEntries(
    statuses.map((status) => [status, refusalResponse(codes.filter((code) => statusOf(code) === status))]),
  );
}

/** The answer that stands for these codes, all of one status. */
export function refusalResponse(codes: readonly ErrorCode[]): Schema {
  const inOrder = CODES.filter((code) => codes.includes(code));
  const [ownHeaders] = inOrder.map((code) => HEADERS_OF_STATUS[statusOf(code)]);
  return {
    description: inOrder.map((code) => `\`${code}\`: ${CATALOGUE[code].meaning}`).join('\n\n'),
    headers: headersWith(ownHeaders),
    content: {
      'application/json': {
        schema: errorSchema('A refusal.', inOrder),
        examples: Object.fromEntries(inOrder.map((code) => [code, { $ref: `#/components/examples/${code}` }])),
      },
    },
  };
}

function statusOf(code: ErrorCode): number {
  return CATALOGUE[code].status;
}

/** An example of every code of the catalogue, by code. */
export function errorExamples(): Readonly<Record<string, Schema>> {
  return Object.fromEntries(
    CODES.map((code) => {
      const { status, meaning } = CATALOGUE[code];
      return [code, { summary: `${status}: ${meaning}`, value: { error: { message: ERROR_EXAMPLES[code], code } } }];
    }),
  );
}

/** The catalogue as a table in Markdown. @param answered the codes that some call answers today */
export function errorTable(answered: ReadonlySet<ErrorCode>): string {
  const rows = CODES.toSorted((left, right) => CATALOGUE[left].status - CATALOGUE[right].status).map((code) => {
    const { status, meaning } = CATALOGUE[code];
    const says = answered.has(code) ? ERROR_EXAMPLES[code] : 'Not answered yet.';
    return `| ${status} | \`${code}\` | ${meaning} | ${says} |`;
  });
  return ['| HTTP | Code | Meaning | Message, for example |', '| --- | --- | --- | --- |', ...rows].join('\n');
}
