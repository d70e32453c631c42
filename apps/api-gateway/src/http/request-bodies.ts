import { MULTIPART_FORM, decodeBody, parseJsonObject, readMultipartForm, refuseEncodedBody } from '@settle/lifecycle';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import {
  NO_PARAMETERS,
  joinParameters,
  parametersOfParts,
  parseForm,
  queryParameters,
  type RequestParameters,
} from '../parameters/request-parameters.js';
import { OTHER_MEDIA_TYPE } from '../responses/error-response.js';

const READERS = {
  'application/json': parseJsonObject,
  'application/x-www-form-urlencoded': parseForm,
} as const;

const PARAMETERS = Symbol('parameters');

type ReadRequest = FastifyRequest & { [PARAMETERS]?: RequestParameters };

/**
 * Gives requests their parameters, of query and body. Accepts forms and JSON objects; other bodies are refused with 415. An empty body counts as none, whatever its type.
 */
export function readBodies(server: FastifyInstance): void {
  server.decorateRequest(PARAMETERS, undefined);
  server.decorateRequest('parameters', {
    getter(this: FastifyRequest) {
      return ((this as ReadRequest)[PARAMETERS] ??= joinParameters(
        queryParameters(this.raw.url ?? ''),
        (this.body ?? NO_PARAMETERS) as RequestParameters,
      ));
    },
  });
  server.removeAllContentTypeParsers();
  for (const [mediaType, read] of Object.entries(READERS)) {
    server.addContentTypeParser(mediaType, { parseAs: 'buffer' }, ({ headers }, body, done) => {
      try {
        refuseEncodedBody(headers);
        done(null, readBody(body as Buffer, read));
      } catch (error) {
        done(error as Error);
      }
    });
  }
  server.addContentTypeParser(
    MULTIPART_FORM,
    { parseAs: 'buffer' },
    async ({ headers }: FastifyRequest, body: Buffer) => {
      refuseEncodedBody(headers);
      if (body.length === 0) return NO_PARAMETERS;
      return parametersOfParts(await readMultipartForm(body, headers['content-type'] ?? ''));
    },
  );
  server.addContentTypeParser('*', ({ headers }, body, done) => {
    // A body with a length is refused before it arrives; of chunks only the first one shows whether there is a body.
    if (Number(headers['content-length'] ?? 0) > 0) return done(OTHER_MEDIA_TYPE);
    body.once('data', () => done(OTHER_MEDIA_TYPE));
    body.once('end', () => done(null, NO_PARAMETERS));
    body.once('error', done);
  });
}

function readBody(body: Buffer, read: (text: string) => RequestParameters): RequestParameters {
  return body.length === 0 ? NO_PARAMETERS : read(decodeBody(body));
}
