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

/** Sources of the responses. */
export interface Answers {
  readonly health: Health;
  readonly metrics: Metrics;
}

/**
 * Serves `GET /health/live` and `GET /health/ready` with 200 or 503, and `GET /metrics` for Prometheus.
 * @param port 0 uses a free one
 * Error: one line if it cannot listen.
 */
export async function serveHealth(
  { health, metrics }: Answers,
  { host, port }: { host: string; port: number },
): Promise<HealthServer> {
  const server = createServer({ requestTimeout: LIMITS.health.requestMs }, ({ method, url }, response) => {
    const path = method === 'GET' || method === 'HEAD' ? url?.split('?', 1)[0] : undefined;
    if (path === '/health/live') answerLive(health, response);
    else if (path === '/health/ready') void answerReady(health, response);
    else if (path === '/metrics') void answerMetrics(metrics, response);
    else answer(response, 404, { status: 'not found' });
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

function answerLive(health: Health, response: ServerResponse): void {
  const isAlive = health.isAlive();
  answer(response, isAlive ? 200 : 503, { status: isAlive ? 'live' : 'stuck' });
}

async function answerReady(health: Health, response: ServerResponse): Promise<void> {
  const readiness = await health.readiness();
  answer(response, readiness.status === 'ready' ? 200 : 503, readiness);
}

async function answerMetrics(metrics: Metrics, response: ServerResponse): Promise<void> {
  const text = await metrics.text();
  response.writeHead(200, { 'content-type': metrics.contentType, 'cache-control': 'no-store' });
  response.end(text);
}

function answer(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' });
  response.end(JSON.stringify(body));
}

function listening(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', ({ code = 'unknown error' }: NodeJS.ErrnoException) =>
      reject(new Error(`Health cannot be answered on ${host}:${port} (${code}): set HEALTH_HOST and HEALTH_PORT`)),
    );
    server.listen({ host, port, exclusive: true }, resolve);
  });
}
