import { isUtf8 } from 'node:buffer';
import type { RawBodyRequest } from '@nestjs/common';
import { SettleError } from '@settle/contracts';
import type { FastifyRequest } from 'fastify';
import { queryOf, readQuery } from '../authorize/query-parameters.js';

/** The fields of a form, each with its one value. A field without a value counts as not sent (RFC 6749 3.2). */
export type FormFields = ReadonlyMap<string, string>;

const FORM = /^application\/x-www-form-urlencoded\s*(?:;|$)/i;

/**
 * Reads the form that an app sends. Errors: `unsupported_media_type`; `invalid_request` for a field that is repeated
 * or cannot be read, and for one of `fields` in the query, where secrets would end up in logs.
 */
export function readForm(request: RawBodyRequest<FastifyRequest>, fields: readonly string[]): FormFields {
  const body = request.rawBody ?? Buffer.alloc(0);
  if (body.length > 0 && !FORM.test(request.headers['content-type'] ?? '')) {
    throw new SettleError('unsupported_media_type', 'Send the body as application/x-www-form-urlencoded.');
  }
  if (!isUtf8(body)) throw new SettleError('invalid_request', 'The body is not UTF-8: encode it again.');
  const inQuery = readQuery(queryOf(request.url));
  const misplaced = fields.find((name) => inQuery.has(name));
  if (misplaced) throw new SettleError('invalid_request', `Send ${misplaced} in the body, not in the URL.`);
  return onlyValues(body.toString());
}

function onlyValues(text: string): FormFields {
  const fields = new Map<string, string>();
  for (const [name, [value = '', ...others]] of readQuery(text)) {
    if (others.length > 0) throw new SettleError('invalid_request', 'A field of the form was sent more than once.');
    if (value !== '') fields.set(name, value);
  }
  return fields;
}
