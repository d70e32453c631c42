import { isUtf8 } from 'node:buffer';
import { SettleError } from '@settle/contracts';
import type { FastifyInstance, FastifyRequest } from 'fastify';
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
    server.addContentTypeParser(mediaType, { parseAs: 'buffer' }, ({ headers }, body, done) => {
      try {
        refuseEncoded(headers);
        done(null, readBody(body as Buffer, read));
      } catch (error) {
        done(error as Error);
      }
    });
  }
}

const FOREIGN_CHARSET = /;\s*charset\s*=\s*(?!"?utf-?8"?\s*(?:;|$))/i;

/** Compressed, or in letters of another alphabet, a body would be read as something else than was meant. */
function refuseEncoded(headers: FastifyRequest['headers']): void {
  const isCompressed =
    (headers['content-encoding'] ?? 'identity') !== 'identity' ||
    (headers['transfer-encoding'] ?? 'chunked').toLowerCase() !== 'chunked';
  if (isCompressed) throw new SettleError('unsupported_media_type', 'Send the body as it is, not compressed.');
  if (FOREIGN_CHARSET.test(headers['content-type'] ?? '')) {
    throw new SettleError('unsupported_media_type', 'Send the body in UTF-8, and say so or nothing in Content-Type.');
  }
}

function readBody(body: Buffer, read: (text: string) => RequestParameters): RequestParameters {
  if (body.length === 0) return NO_PARAMETERS;
  if (!isUtf8(body)) throw new SettleError('invalid_request', 'The body is not UTF-8: encode it again.');
  return read(body.toString());
}
