import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { LIMITS } from '@settle/config';
import { HttpDrain } from '@settle/lifecycle';
import { BusServer, type MessageBus } from '@settle/messaging';
import { NestPinoLogger, isTracing, type Logger, type Metrics } from '@settle/observability';
import type { FastifyInstance } from 'fastify';
import { GatewayModule } from './gateway.module.js';
import type { GatewaySettings } from './gateway-settings.js';
import { allowOrigins } from './http/cross-origin.js';
import { ErrorFilter } from './http/error.filter.js';
import { proxyPages } from './http/page-proxy.js';
import { readBodies } from './http/request-bodies.js';
import { watchRequests } from './http/request-lifecycle.js';
import { measureRequests } from './http/request-metrics.js';
import { traceRequests } from './http/request-traces.js';
import { serverOptions } from './http/server-options.js';
import { RateLimits } from './limits/rate-limits.js';

export interface ApiGatewayOptions {
  readonly settings: GatewaySettings;
  readonly bus: MessageBus;
  readonly logger: Logger;
  /** Where auth-service's pages are. */
  readonly authUrl: string;
  /** Absent: nothing is measured. */
  readonly metrics?: Metrics | undefined;
}

export interface ApiGateway {
  /** The address that is listened on. */
  readonly url: string;
  /** Lets running requests finish within bounds, stops listening, and leaves the bus open. */
  close(): Promise<void>;
}

/** Starts the public HTTP edge. Rejects when it cannot listen, with Node's error (`EADDRINUSE` and so on). */
export async function startApiGateway(options: ApiGatewayOptions): Promise<ApiGateway> {
  const { settings, bus, logger, authUrl, metrics } = options;
  const rateLimits = new RateLimits(settings.rateLimits);
  // Middleware is not used, and its engine would run on every request.
  const adapter = new FastifyAdapter({ ...serverOptions(logger, settings, rateLimits), skipMiddie: true });
  const server = adapter.getInstance() as unknown as FastifyInstance;
  const http = new HttpDrain(server.server);
  const module = GatewayModule.with(settings, bus, rateLimits);
  const app = await NestFactory.create<NestFastifyApplication>(module, adapter, {
    logger: new NestPinoLogger(logger),
    bodyParser: false,
    abortOnError: false,
  });
  if (metrics !== undefined) measureRequests(server, metrics);
  if (isTracing()) traceRequests(server);
  allowOrigins(server, settings.corsOrigins);
  watchRequests(server, logger, { rateLimits, requestsInProgress: settings.requestsInProgress });
  readBodies(server);
  app.useGlobalFilters(new ErrorFilter(logger));
  proxyPages(server, authUrl);
  app.connectMicroservice({ strategy: new BusServer(bus) });
  try {
    await app.startAllMicroservices();
    await app.listen(settings.port, settings.host);
  } catch (error) {
    await app.close();
    throw error;
  }
  let closed: Promise<void> | undefined;
  return { url: await app.getUrl(), close: () => (closed ??= closeWithin(app, server, http)) };
}

async function closeWithin(app: NestFastifyApplication, server: FastifyInstance, http: HttpDrain): Promise<void> {
  await http.drain();
  const timer = setTimeout(() => server.server.closeAllConnections(), LIMITS.gateway.closeWaitMs);
  try {
    await app.close();
  } finally {
    clearTimeout(timer);
  }
}
