import { verifyMessage } from '@settle/provider-api';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { CURRENCY } from '../books/book-object.js';
import { sendProblem } from './problems.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** The body as it arrived, over which the signature is computed; empty without one. */
    rawBody?: Buffer;
  }
}

/** Refuses every request to the routes of `server` that none of the secrets has signed in the last five minutes. */
export function requireSignatures(server: FastifyInstance, secrets: readonly string[], now: () => number): void {
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('*', { parseAs: 'buffer' }, (request, body, done) => {
    request.rawBody = body as Buffer;
    done(null, parseJson(body as Buffer));
  });
  server.addHook('preHandler', async (request, reply) => {
    const body = request.rawBody ?? '';
    const id = verifyMessage(request.headers, body, { secrets, nowSeconds: Math.floor(now() / 1_000) });
    if (id === null) return sendProblem(reply, 'invalid_signature', 'Sign the request with a secret of this provider.');
    return undefined;
  });
}

/** Returns the value, or undefined if it is not JSON. */
function parseJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString());
  } catch {
    return undefined;
  }
}

/** Returns the body if it has the key of the path, which the signature does not cover, and no other currency; otherwise null. */
export function readKeyedBody<Body extends { readonly key: string; readonly currency?: string }>(
  { body, params }: FastifyRequest,
  parse: (value: unknown) => Body | null,
): Body | null {
  const parsed = parse(body);
  if (parsed === null || parsed.key !== (params as { readonly key?: string }).key) return null;
  return (parsed.currency ?? CURRENCY) === CURRENCY ? parsed : null;
}
