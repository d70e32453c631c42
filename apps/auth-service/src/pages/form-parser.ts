import { isUtf8 } from 'node:buffer';
import { SettleError } from '@settle/contracts';
import { MULTIPART_FORM, readMultipartForm } from '@settle/lifecycle';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { readQuery, type QueryParameters } from '../authorize/query-parameters.js';

const FORM = 'application/x-www-form-urlencoded';

declare module 'fastify' {
  interface FastifyRequest {
    /** The fields of the form that the body is, each with all its values; undefined: there is no body. */
    formFields?: QueryParameters;
  }
}

/**
 * Reads the bodies of pages and of the endpoints for apps, as strictly as the gateway reads those of its calls: a form
 * in UTF-8 whose escapes are whole. A field that is repeated is an array of its values. Endpoints for apps also take a
 * form in parts, which browsers never send for a page. Errors: `invalid_request`; `unsupported_media_type` for
 * everything else. To be called before routes are added.
 */
export function readForms(server: FastifyInstance): void {
  server.removeAllContentTypeParsers();
  server.addContentTypeParser(FORM, { parseAs: 'buffer' }, (request, body, done) => {
    try {
      done(null, keepFields(request, fieldsOf(body as Buffer)));
    } catch (error) {
      done(error as Error);
    }
  });
  server.addContentTypeParser(MULTIPART_FORM, { parseAs: 'buffer' }, async (request: FastifyRequest, body: Buffer) => {
    if (body.length === 0) return undefined;
    return keepFields(request, grouped(await readMultipartForm(body, request.headers['content-type'] ?? '')));
  });
  server.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => {
    if (body.length === 0) done(null, undefined);
    else done(new SettleError('unsupported_media_type', `Send the body as ${FORM}.`));
  });
}

function fieldsOf(body: Buffer): QueryParameters {
  if (!isUtf8(body)) throw new SettleError('invalid_request', 'The body is not UTF-8: encode it again.');
  return readQuery(body.toString());
}

function grouped(parts: readonly (readonly [string, string])[]): QueryParameters {
  const fields = new Map<string, string[]>();
  for (const [name, text] of parts) {
    if (text.includes('\0')) throw new SettleError('invalid_request', 'A parameter holds a NUL character.');
    fields.set(name, [...(fields.get(name) ?? []), text]);
  }
  return fields;
}

/** What pages read as the body. */
function keepFields(request: FastifyRequest, fields: QueryParameters): Record<string, string | readonly string[]> {
  request.formFields = fields;
  const entries = [...fields].map(([name, values]) => [name, values.length > 1 ? values : values[0]]);
  return Object.fromEntries(entries) as Record<string, string | readonly string[]>;
}
