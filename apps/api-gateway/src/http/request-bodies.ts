import { isUtf8 } from 'node:buffer';
import { SettleError } from '@settle/contracts';
import type { FastifyInstance } from 'fastify';
import { parseJsonObject } from '../requests/json-body.js';
import { NO_PARAMETERS, parseForm, type RequestParameters } from '../requests/request-parameters.js';

const READERS = {
  'application/json': parseJsonObject,
  'application/x-www-form-urlencoded': parseForm,
} as const;

/** Bodies are forms and JSON objects; any other is refused with 415. */
export function readBodies(server: FastifyInstance): void {
  server.removeAllContentTypeParsers();
  for (const [mediaType, read] of Object.entries(READERS)) {
    server.addContentTypeParser(mediaType, { parseAs: 'buffer' }, (_request, body, done) => {
      try {
        done(null, readBody(body as Buffer, read));
      } catch (error) {
        done(error as Error);
      }
    });
  }
}

function readBody(body: Buffer, read: (text: string) => RequestParameters): RequestParameters {
  if (body.length === 0) return NO_PARAMETERS;
  if (!isUtf8(body)) throw new SettleError('invalid_request', 'The body is not UTF-8: encode it again.');
  return read(body.toString());
}
