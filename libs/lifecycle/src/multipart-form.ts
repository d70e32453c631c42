import { finished } from 'node:stream/promises';
import { Busboy, type BusboyHeaders } from '@fastify/busboy';
import { LIMITS } from '@settle/config';
import { SettleError } from '@settle/contracts';
import { refuseUnlessUtf8 } from './body-text.js';
import { invalidRequest, tooManyParameters } from './parameter-errors.js';

const { bodyBytes, parametersCount } = LIMITS.gateway;

/** Media type of multipart forms. */
export const MULTIPART_FORM = 'multipart/form-data';

/**
 * Reads the fields of a `multipart/form-data` body, in order, with their texts unchanged.
 * Errors: `unsupported_media_type` for a file; `invalid_request` for a body that cannot be read, is not UTF-8, or has
 * too many parts.
 */
export async function readMultipartForm(body: Buffer, contentType: string): Promise<[name: string, text: string][]> {
  const fields: [string, string][] = [];
  let refusal: SettleError | undefined;
  try {
    const reader = new Busboy({
      headers: { 'content-type': contentType } as BusboyHeaders,
      // Without explicit limits, a name or text that is too long would be truncated.
      limits: { fieldNameSize: bodyBytes, fieldSize: bodyBytes, fields: parametersCount },
    });
    reader.on('field', (name: string | undefined, text) => {
      if (name === undefined) refusal ??= invalidRequest('A part of the form has no name.');
      else fields.push([name, text]);
    });
    reader.on('file', (_name, content) => {
      refusal = new SettleError('unsupported_media_type', 'Send the parts of the form as text, without files.');
      // A file that ends early emits its own error, which would end the process without a listener.
      content.on('error', () => undefined).resume();
    });
    reader.on('fieldsLimit', () => {
      refusal ??= tooManyParameters();
    });
    reader.end(body);
    await finished(reader);
  } catch {
    refusal ??= invalidRequest('The body is not made of parts as its Content-Type says: check the boundary.');
  }
  if (refusal !== undefined) throw refusal;
  refuseUnlessUtf8(body);
  return fields;
}
