import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  parseCancelRequest,
  parseChargeRequest,
  parseEndRequest,
  parsePayoutRequest,
  parseRepaymentRequest,
  parseSourceRequest,
  CHANGES_PER_PAGE,
} from '@settle/provider-api';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Pool } from 'pg';
import type { ObjectKind } from '../books/book-object.js';
import type { Books } from '../books/books.js';
import type { BooksWriter } from '../books/books-writer.js';
import { cancelCharge, putCharge } from '../books/charges.js';
import { putPayout, putRepayment } from '../books/payouts.js';
import { toProviderObject } from '../books/provider-object.js';
import type { PutResult } from '../books/put-once.js';
import { endSource, putSource } from '../books/sources.js';
import { statementLines } from '../books/statement.js';
import { findCard } from '../cards/cards.js';
import { sendProblem } from './problems.js';
import { readKeyedBody } from './signed-requests.js';

export interface ApiOptions {
  readonly books: Books;
  readonly pool: Pool;
  readonly now: () => number;
  /** Returns where users reach the pages, without a slash at the end; known once the provider listens. */
  readonly pagesUrl: () => string;
  /** How long a slow response takes. */
  readonly laterMs: number;
}

type KeyedRequest = { readonly key: string };

const KEY = /^[A-Za-z0-9._:-]{1,200}$/;
const READABLE = { charges: 'charge', repayments: 'repayment', payouts: 'payout', reversals: 'reversal' } as const;

/** Adds the routes of the provider's interface. */
export function addApiRoutes(server: FastifyInstance, options: ApiOptions): void {
  const { books, laterMs, pagesUrl } = options;

  /** Answers `PUT` of a permanent key, once the object is durable. */
  const put = <Body extends KeyedRequest>(
    path: string,
    parse: (value: unknown) => Body | null,
    store: (writer: BooksWriter, body: Body) => Promise<PutResult>,
  ) =>
    server.put(path, async (request, reply) => {
      const body = readKeyedBody(request, parse);
      if (body === null) return sendProblem(reply, 'invalid_request', 'The body cannot be read.');
      const result = await books.write((writer) => store(writer, body));
      return sendResult(reply, result, { pagesUrl, laterMs });
    });
  put('/charges/:key', parseChargeRequest, putCharge);
  put('/repayments/:key', parseRepaymentRequest, putRepayment);
  put('/payouts/:key', parsePayoutRequest, putPayout);
  put('/sources/:key', parseSourceRequest, putSource);

  for (const [path, kind] of Object.entries({ ...READABLE, sources: 'source' } as const)) {
    server.get(`/${path}/:key`, (request, reply) => sendFound(request, reply, { books, kind, pagesUrl }));
  }

  server.post('/charges/:key/cancel', async (request, reply) => {
    const body = readKeyedBody(request, parseCancelRequest);
    if (body === null) return sendProblem(reply, 'invalid_request', 'The body cannot be read.');
    return sendResult(reply, await books.write((writer) => cancelCharge(writer, body)), { pagesUrl, laterMs });
  });

  server.post('/sources/:key/end', async (request, reply) => {
    const body = readKeyedBody(request, parseEndRequest);
    if (body === null) return sendProblem(reply, 'invalid_request', 'The body cannot be read.');
    const source = await books.write((writer) => endSource(writer, body));
    return source === null
      ? sendProblem(reply, 'not_found', 'There is no such source.')
      : toProviderObject(source, pagesUrl());
  });

  addListRoutes(server, options);
}

function addListRoutes(server: FastifyInstance, { books, pool, now }: ApiOptions): void {
  server.get('/', () => ({ name: 'Settle reference provider', live: false }));

  server.get('/changes', async (request, reply) => {
    const { after = '0' } = request.query as { readonly after?: unknown };
    if (typeof after !== 'string' || !/^[0-9]{1,18}$/.test(after)) {
      return sendProblem(reply, 'invalid_request', 'after: send the cursor of an earlier page.');
    }
    return books.changesAfter(BigInt(after), CHANGES_PER_PAGE);
  });

  server.get('/statements', async (request, reply) => {
    const { from, to } = request.query as { readonly from?: unknown; readonly to?: unknown };
    const [begin, end] = [readTime(from), readTime(to)];
    if (begin === null || end === null || begin >= end || end.getTime() > now()) {
      return sendProblem(reply, 'invalid_request', 'from and to: send two times in UTC that have passed, in order.');
    }
    const lines = statementLines(pool, { from: begin, to: end });
    return reply.type('text/csv; charset=utf-8').send(Readable.from(lines, { objectMode: false }));
  });
}

async function sendFound(
  request: FastifyRequest,
  reply: FastifyReply,
  { books, kind, pagesUrl }: Pick<ApiOptions, 'books' | 'pagesUrl'> & { readonly kind: ObjectKind },
): Promise<unknown> {
  const { key } = request.params as KeyedRequest;
  const object = KEY.test(key) ? await books.find(kind, key) : null;
  return object === null
    ? sendProblem(reply, 'not_found', 'The key is not known.')
    : toProviderObject(object, pagesUrl());
}

/** Sends the object as its test card wants it: at once, late or, if the request has created it, not at all. */
async function sendResult(
  reply: FastifyReply,
  result: PutResult,
  { pagesUrl, laterMs }: Pick<ApiOptions, 'pagesUrl' | 'laterMs'>,
): Promise<unknown> {
  if (!('object' in result)) {
    const isConflict = result.outcome === 'conflict';
    if (isConflict) return sendProblem(reply, 'key_conflict', 'The key has other content.');
    return sendProblem(reply, 'too_late', 'begin_before has passed.');
  }
  const { object } = result;
  const response = result.outcome === 'created' ? findCard(object.cardNumber ?? '')?.response : 'prompt';
  if (response === 'slow') await sleep(laterMs);
  if (response !== 'lost') return toProviderObject(object, pagesUrl());
  reply.hijack();
  reply.raw.destroy();
  return reply;
}

/** Returns a time in UTC (RFC 3339); null if it is not one. */
function readTime(text: unknown): Date | null {
  if (typeof text !== 'string' || !/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,3})?Z$/.test(text)) return null;
  const time = new Date(text);
  return Number.isNaN(time.getTime()) ? null : time;
}
