import { ERROR_CATALOGUE, type CatalogueEntry, type ErrorCode } from '@settle/contracts';
import { errorSchema } from './answer-schemas.js';
import { ERROR_EXAMPLES } from './error-examples.js';
import type { Schema } from './schema.js';

const CATALOGUE: Readonly<Record<ErrorCode, CatalogueEntry>> = ERROR_CATALOGUE;
const CODES = Object.keys(CATALOGUE) as ErrorCode[];

const header = (description: string, schema: Schema, required = true) => ({ description, required, schema });
const count = { type: 'integer', minimum: 0 };

/** Headers of answers, by name. */
export const HEADERS = {
  'X-Request-Id': header('Finds the request in the logs.', { type: 'string', format: 'uuid' }),
  'Cache-Control': header('Nobody on the way may keep the answer.', { type: 'string', const: 'no-store, private' }),
  'WWW-Authenticate': header('What is wrong with the token.', { type: 'string', pattern: '^Bearer( |$)' }),
  'Retry-After': header('Seconds to wait.', { type: 'integer', minimum: 1 }),
  Allow: header('The methods that the address takes.', { type: 'string', pattern: '^[A-Z]+(, [A-Z]+)*$' }),
  'RateLimit-Limit': header('Requests that may be made at once, of the limit that is nearer.', count, false),
  'RateLimit-Remaining': header('Requests that may follow at once.', count, false),
  'RateLimit-Reset': header('Seconds until all of them may be made again.', count, false),
} as const;

export type HeaderName = keyof typeof HEADERS;

const EVERYWHERE: readonly HeaderName[] = [
  'X-Request-Id',
  'Cache-Control',
  'RateLimit-Limit',
  'RateLimit-Remaining',
  'RateLimit-Reset',
];
const OF_STATUS: Readonly<Record<number, HeaderName>> = {
  401: 'WWW-Authenticate',
  405: 'Allow',
  429: 'Retry-After',
  503: 'Retry-After',
};

/** References to the headers that every answer has, and these. */
export function headerRefs(...others: HeaderName[]): Schema {
  return Object.fromEntries([...EVERYWHERE, ...others].map((name) => [name, { $ref: `#/components/headers/${name}` }]));
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
  const ofStatus = inOrder.map((code) => OF_STATUS[statusOf(code)])[0];
  return {
    description: inOrder.map((code) => `\`${code}\`: ${CATALOGUE[code].meaning}`).join('\n\n'),
    headers: headerRefs(...(ofStatus === undefined ? [] : [ofStatus])),
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
