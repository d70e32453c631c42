import { SettleError } from '@settle/contracts';
import type { FastifyRequest } from 'fastify';
import { extractQuery, parseQuery } from '../http/query-parameters.js';

/** The fields of a form with their single values. An empty value counts as not sent (RFC 6749 3.2). */
export type FormFields = ReadonlyMap<string, string>;

/** Error: `invalid_request` for a repeated field, and for one of `fields` in the query, which ends up in logs. */
export function readForm({ url, formFields }: FastifyRequest, fields: readonly string[]): FormFields {
  const inQuery = parseQuery(extractQuery(url));
  const misplaced = fields.find((name) => inQuery.has(name));
  if (misplaced) throw new SettleError('invalid_request', `Send ${misplaced} in the body, not in the URL.`);
  const form = new Map<string, string>();
  for (const [name, [value = '', ...others]] of formFields ?? []) {
    if (others.length > 0) throw new SettleError('invalid_request', 'A field of the form was sent more than once.');
    if (value !== '') form.set(name, value);
  }
  return form;
}
