import { SettleError } from '@settle/contracts';
import { MULTIPART_FORM, decodeBody, parseJsonObject, readMultipartForm, refuseEncodedBody } from '@settle/lifecycle';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { groupByName, parseQuery, type QueryParameters } from './query-parameters.js';

const FORM_TYPE = 'application/x-www-form-urlencoded';
const JSON_TYPE = 'application/json';
const NO_FORM = new SettleError('unsupported_media_type', `Send the body as ${FORM_TYPE} or ${MULTIPART_FORM}.`);

declare module 'fastify' {
  interface FastifyRequest {
    /** The fields of the form body, each with all its values. Undefined without a body. */
    formFields?: QueryParameters;
  }
  interface FastifyContextConfig {
    /** Whether the route also accepts a JSON object, as `body`. */
    acceptsJson?: boolean;
  }
}

/**
 * Registers the parsers for request bodies of pages and app endpoints, as strict as those of the gateway: a form in UTF-8
 * with valid escapes. A repeated field becomes an array of its values. App endpoints also accept `multipart/form-data`, and
 * routes with `acceptsJson` a JSON object.
 * The parsers throw `invalid_request`, and `unsupported_media_type` for any other body. Call it before adding routes.
 */
export function registerFormParsers(server: FastifyInstance): void {
  server.removeAllContentTypeParsers();
  server.addContentTypeParser(FORM_TYPE, { parseAs: 'buffer' }, (request, body, done) => {
    try {
      refuseEncodedBody(request.headers);
      done(null, setFormFields(request, parseQuery(decodeBody(body as Buffer))));
    } catch (error) {
      done(error as Error);
    }
  });
  server.addContentTypeParser(MULTIPART_FORM, { parseAs: 'buffer' }, async (request: FastifyRequest, body: Buffer) => {
    refuseEncodedBody(request.headers);
    if (body.length === 0) return undefined;
    return setFormFields(request, groupFields(await readMultipartForm(body, request.headers['content-type'] ?? '')));
  });
  server.addContentTypeParser(JSON_TYPE, { parseAs: 'buffer' }, async (request: FastifyRequest, body: Buffer) => {
    if (body.length === 0) return undefined;
    if (request.routeOptions.config.acceptsJson !== true) throw NO_FORM;
    refuseEncodedBody(request.headers);
    return parseJsonObject(decodeBody(body));
  });
  server.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => {
    if (body.length === 0) done(null, undefined);
    else done(NO_FORM);
  });
}

function groupFields(parts: readonly (readonly [string, string])[]): QueryParameters {
  if (parts.some(([, text]) => text.includes('\0'))) {
    throw new SettleError('invalid_request', 'A parameter contains a NUL character.');
  }
  return groupByName(parts);
}

/** Stores the fields on the request and returns the body that controllers read. */
function setFormFields(request: FastifyRequest, fields: QueryParameters): Record<string, string | readonly string[]> {
  request.formFields = fields;
  const entries = [...fields].map(([name, values]) => [name, values.length > 1 ? values : values[0]]);
  return Object.fromEntries(entries) as Record<string, string | readonly string[]>;
}
