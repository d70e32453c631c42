import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { LIMITS } from '@settle/config';
import type { Metrics } from '@settle/observability';
import type { Health } from './health.js';

export interface HealthServer {
  /** The port that is listened on, also if a free one was requested. */
  readonly port: number;
  close(): Promise<void>;
}

/**
 * Serves `GET /health/live` and `GET /health/ready` with 200 or 503, and `GET /metrics` for Prometheus.
 * @param port 0 uses a free one
 * Error: one line if it cannot listen.
 */
export async function serveHealth(
  sources: { readonly health: Health; readonly metrics: Metrics },
  { host, port }: { readonly host: string; readonly port: number },
): Promise<HealthServer> {
  const server = createServer({ requestTimeout: LIMITS.health.requestMs }, ({ method, url }, response) => {
    const path = method === 'GET' || method === 'HEAD' ? url?.split('?', 1)[0] : undefined;
    void answer(path, response, sources);
  });
  await listening(server, host, port);
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function answer(
  path: string | undefined,
  response: ServerResponse,
  { health, metrics }: { readonly health: Health; readonly metrics: Metrics },
): Promise<void> {
  const send = (status: number, body: string, type = 'application/json; charset=utf-8') =>
    response.writeHead(status, { 'content-type': type, 'cache-control': 'no-store' }).end(body);
  if (path === '/health/live') {
    const isAlive = health.isAlive();
    send(isAlive ? 200 : 503, JSON.stringify({ status: isAlive ? 'live' : 'stuck' }));
  } else if (path === '/health/ready') {
    const readiness = await health.readiness();
    send(readiness.status === 'ready' ? 200 : 503, JSON.stringify(readiness));
  } else if (path === '/metrics') send(200, await metrics.text(), metrics.contentType);
  else send(404, JSON.stringify({ status: 'not found' }));
}

async function listening(server: Server, host: string, port: number): Promise<void> {
  const listens = once(server.listen({ host, port, exclusive: true }), 'listening');
  await listens.catch(({ code = 'unknown error' }: NodeJS.ErrnoException) => {
    throw new Error(`Health cannot be answered on ${host}:${port} (${code}): set HEALTH_HOST and HEALTH_PORT`);
  });
  // A connection that could not be accepted is lost; the server goes on.
  server.on('error', () => undefined);
}
