import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { SettleClient, type SettleClientOptions } from '../src/index.js';

export interface ReceivedRequest {
  readonly method: string;
  /** Path and query. */
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly atMs: number;
}

/** A response; or the connection is closed without one; or nothing happens. */
export type Reply =
  | { readonly status: number; readonly body: string; readonly headers?: Readonly<Record<string, string>> }
  | 'close'
  | 'wait';

export interface ScriptedApi {
  readonly baseUrl: string;
  readonly received: ReceivedRequest[];
  /** Returns a client of this API. */
  client(options?: Partial<SettleClientOptions>): SettleClient;
  /** Stops it. Waiting requests end. */
  stop(): Promise<void>;
}

export const APP = { clientId: 'app-1', clientSecret: 'secret-1' };

export const ok = (body: unknown): Reply => ({ status: 200, body: JSON.stringify(body) });
export const rejection = (status: number, code: string, headers: Readonly<Record<string, string>> = {}): Reply => ({
  status,
  body: JSON.stringify({ error: { message: `About ${code}.`, code } }),
  headers,
});

/** Starts an API that responds as `reply` says. @param reply gets the request and how many came before it */
export async function startScriptedApi(
  reply: (request: ReceivedRequest, earlier: number) => Reply,
): Promise<ScriptedApi> {
  const received: ReceivedRequest[] = [];
  const server = createServer(async (request, response) => {
    const { method = '', url = '', headers } = request;
    const one = { method, url, headers, atMs: performance.now(), body: await text(request) };
    const next = reply(one, received.push(one) - 1);
    if (next === 'close') return request.socket.destroy();
    if (next === 'wait') return;
    response.writeHead(next.status, {
      'content-type': 'application/json',
      'x-request-id': 'request-1',
      ...next.headers,
    });
    response.end(next.body);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  return {
    baseUrl,
    received,
    client: (options) =>
      new SettleClient({ baseUrl, ...APP, tokens: { accessToken: 'access-1', refreshToken: 'refresh-1' }, ...options }),
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Responds with one reply after another, and with the last one to all later requests. */
export const inTurn =
  (...replies: readonly Reply[]) =>
  (_: ReceivedRequest, earlier: number): Reply =>
    replies[Math.min(earlier, replies.length - 1)] ?? 'wait';

const APIS: ScriptedApi[] = [];

/** Starts an API for one test. */
export async function apiForTest(reply: Parameters<typeof startScriptedApi>[0]): Promise<ScriptedApi> {
  const api = await startScriptedApi(reply);
  APIS.push(api);
  return api;
}

/** Stops those of the test. */
export async function stopApis(): Promise<void> {
  await Promise.all(APIS.splice(0).map((api) => api.stop()));
}
