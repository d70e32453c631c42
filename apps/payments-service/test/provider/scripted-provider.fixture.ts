import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Server } from 'node:net';
import { createLogger, type Metrics } from '@settle/observability';
import type { ProviderRequest } from '@settle/payments-domain';
import { createMessageSecret } from '@settle/provider-api';
import { ProviderClient } from '../../src/provider/provider-client.js';
import { Clock } from '../../src/storage/clock.js';

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

interface ClientOptions {
  readonly url?: string;
  readonly timeouts?: { readonly connectMs: number; readonly totalMs: number };
  readonly metrics?: Metrics;
  readonly isChecked?: () => boolean;
  readonly clock?: Clock;
}

export type Answer = (response: ServerResponse) => void;

/** Both are known to the provider. */
export const secrets = [createMessageSecret(), createMessageSecret()];

export const json =
  (status: number, value: unknown, headers: Record<string, string> = {}): Answer =>
  (response) =>
    void response
      .writeHead(status, { 'content-type': 'application/json', ...headers })
      .end(typeof value === 'string' ? value : JSON.stringify(value));

/** A provider over real HTTP that answers as a spec says. */
export class ScriptedProvider {
  received: Received[] = [];
  answer: Answer = json(200, charge);
  url = '';
  readonly #clients: ProviderClient[] = [];
  readonly #server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { method, url, headers } = request;
      this.received.push({ method, url, headers, body: Buffer.concat(chunks).toString() });
      this.answer(response);
    });
  });

  async start(): Promise<void> {
    this.url = `http://127.0.0.1:${await listen(this.#server)}/base`;
  }

  /** Returns a client of this provider, or of another address. */
  client(options: ClientOptions = {}) {
    const { url = this.url, timeouts = { connectMs: 2_000, totalMs: 50_000 }, metrics, isChecked } = options;
    const { clock = new Clock(() => NOW_MS) } = options;
    const client = new ProviderClient({
      provider: { url, secret: secrets.join('\n') },
      pageOrigins: ['https://pages.example'],
      clock,
      logger: createLogger({ level: 'silent', service: 'spec' }),
      timeouts,
      metrics,
      ...(isChecked && { isChecked }),
    });
    this.#clients.push(client);
    return client;
  }

  async stop(): Promise<void> {
    await Promise.all(this.#clients.map((client) => client.close()));
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

/** Resolves with the port. */
export async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}
