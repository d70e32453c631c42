import { Semaphore } from '@settle/concurrency';
import { LIMITS } from '@settle/config';
import { SettleError } from '@settle/contracts';
import type { Logger } from '@settle/observability';
import type { FastifyInstance, FastifyRequest } from 'fastify';

const { callbacksInProgress, callbacksWaiting, callbackWaitMs } = LIMITS.gateway;
const PATH = '/provider/callbacks';
const SIGNED_HEADERS = ['webhook-id', 'webhook-timestamp', 'webhook-signature', 'content-type'] as const;
/** What payments-service answers; everything else is reported as a failure that may be retried. */
const STATUSES = new Set([204, 400, 401, 413]);
const UNAVAILABLE = new SettleError('service_unavailable', 'The callback was not stored. Send it again later.');

/**
 * Passes the payment provider's callbacks on to payments-service, byte for byte; that verifies them. They need no access
 * token, and have request slots of their own, so that they cannot take those of the API.
 */
export function proxyCallbacks(server: FastifyInstance, callbacksUrl: string, logger: Logger): void {
  const slots = new Semaphore({ slots: callbacksInProgress, waiting: callbacksWaiting });
  void server.register((callbacks, _options, done) => {
    callbacks.removeAllContentTypeParsers();
    callbacks.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, parsed) => parsed(null, body));
    callbacks.post(PATH, async (request, reply) => {
      if (!(await slots.acquire(callbackWaitMs))) throw UNAVAILABLE;
      try {
        const status = await forward(request, callbacksUrl);
        if (!STATUSES.has(status)) throw UNAVAILABLE;
        return await reply.code(status).send();
      } catch (err) {
        if (err === UNAVAILABLE) throw err;
        logger.warn({ err }, 'a callback of the payment provider was not passed on; the provider sends it again');
        throw UNAVAILABLE;
      } finally {
        slots.release();
      }
    });
    done();
  });
}

async function forward({ headers, body }: FastifyRequest, callbacksUrl: string): Promise<number> {
  const kept = SIGNED_HEADERS.flatMap((name) => {
    const value = headers[name];
    return typeof value === 'string' ? [[name, value] as const] : [];
  });
  const response = await fetch(`${callbacksUrl}${PATH}`, {
    method: 'POST',
    headers: Object.fromEntries(kept),
    body: Buffer.isBuffer(body) ? new Uint8Array(body) : '',
    redirect: 'error',
    signal: AbortSignal.timeout(callbackWaitMs),
  });
  await response.body?.cancel();
  return response.status;
}
