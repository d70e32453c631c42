import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo, Server } from 'node:net';
import type { ProviderRequest } from '@settle/payments-domain';

export const NOW_MS = 1_800_000_000_000;
export const PUT: ProviderRequest = { method: 'put', cancels: false, isMissingFinal: false };
export const GET: ProviderRequest = { method: 'get', cancels: false, isMissingFinal: false };
export const call = {
  key: 'p1:u1:1',
  userId: 'u1',
  sourceId: 's1',
  amountCents: 2_500,
  beginBeforeUs: NOW_MS * 1_000 + 30_000_000,
  request: PUT,
};
export const common = {
  id: 'ch_1',
  amount: 2_500,
  currency: 'USD',
  version: 1,
  created_at: '2027-01-15T08:00:00Z',
  updated_at: '2027-01-15T08:00:00Z',
  code: null,
  next_action: null,
  live: false,
};
export const charge = { ...common, key: call.key, kind: 'charge', state: 'approved' };
export const repayment = { ...common, key: 'p1:u1:refund', kind: 'repayment', charge_key: call.key, state: 'paid' };
export const problem = (code: string) => ({ error: { code, message: 'A text.' } });

export interface Received {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

export type Answer = (response: ServerResponse, request: IncomingMessage) => void;

export const json =
  (status: number, value: unknown, headers: Record<string, string> = {}): Answer =>
  (response) =>
    void response
      .writeHead(status, { 'content-type': 'application/json', ...headers })
      .end(typeof value === 'string' ? value : JSON.stringify(value));

/** Responses that are no object of the interface, with what is wrong with each. */
export const RUBBISH: readonly (readonly [string, Answer])[] = [
  ['text that is not JSON', json(200, '{"key":')],
  [
    'bytes that are not UTF-8',
    (response) => response.setHeader('content-type', 'application/json').end(Buffer.of(0xff)),
  ],
  ['an object of another kind', json(200, { ...charge, kind: 'payout' })],
  ['an object of another key', json(200, { ...charge, key: 'p1:u1:2' })],
  ['an unknown state', json(200, { ...charge, state: 'succeeded' })],
  ['another content type', json(200, charge, { 'content-type': 'text/html' })],
  ['a compressed body', json(200, charge, { 'content-encoding': 'gzip' })],
  ['status 500 with a valid object', json(500, charge)],
  ['status 202 with a valid object', json(202, charge)],
  ['status 409', json(409, problem('key_conflict'))],
  ['status 410', json(410, problem('too_late'))],
  ['a 404 of something in between', json(404, '<html>', { 'content-type': 'text/html' })],
  ['a 404 in another form', json(404, { statusCode: 404, error: 'Not Found' })],
  ['ten megabytes', json(200, JSON.stringify({ ...charge, more: 'x'.repeat(10_000_000) }))],
  [
    'ten megabytes of unknown length',
    (response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      for (let part = 0; part < 160; part += 1) response.write(' '.repeat(65_536));
      response.end(JSON.stringify(charge));
    },
  ],
  ['a closed connection', (response) => void response.destroy()],
  [
    'half of a body',
    (response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '900' });
      response.write('{"key"', () => response.destroy());
    },
  ],
  ['headers that are too large', json(200, charge, { 'x-large': 'x'.repeat(100_000) })],
];

/** Listens on a free port and returns it. */
export async function listen(listener: Server): Promise<number> {
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  return (listener.address() as AddressInfo).port;
}
