import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { LIMITS } from '@settle/config';
import { HandedConnections, HttpDrain, guardConnections, type ParentChannel } from '@settle/lifecycle';
import { BusServer, MessageClient, type MessageBus } from '@settle/messaging';
import { NestPinoLogger, isTracing, type Logger, type Metrics } from '@settle/observability';
import type { FastifyInstance } from 'fastify';
import { GatewayModule, grantsFrom } from './gateway.module.js';
import type { GatewaySettings } from './settings/gateway-settings.js';
import { allowOrigins } from './http/cross-origin.js';
import { proxyCallbacks } from './http/callback-proxy.js';
import { ErrorFilter } from './http/error.filter.js';
import { proxyPages } from './http/page-proxy.js';
import { readBodies } from './http/request-bodies.js';
import { watchRequests } from './http/request-lifecycle.js';
import { measureRequests } from './http/request-metrics.js';
import { traceRequests } from './http/request-traces.js';
import { serverOptions } from './http/server-options.js';
import { Admission } from './limits/admission.js';
import { AppRequests } from './limits/app-requests.js';
import { RateLimits } from './limits/rate-limits.js';
import { RequestSlots } from './limits/request-slots.js';

export interface ApiGatewayOptions {
  readonly settings: GatewaySettings;
  readonly bus: MessageBus;
  readonly logger: Logger;
  /** URL of auth-service's pages. */
  readonly authUrl: string;
  /** Where payments-service receives callbacks of the payment provider; null: they are answered 404. */
  readonly callbacksUrl: string | null;
  /** The process that accepts connections for this one; absent: none does. */
  readonly parent?: ParentChannel;
  /** Absent: no metrics. */
  readonly metrics?: Metrics | undefined;
}

export interface ApiGateway {
  /** The URL that is listened on. */
  readonly url: string;
  /** Lets running requests finish within bounds, stops listening, and leaves the bus open. */
  close(): Promise<void>;
}

/** Starts the public HTTP server. Rejects with Node's error if it cannot listen (`EADDRINUSE` and so on). */
export async function startApiGateway(options: ApiGatewayOptions): Promise<ApiGateway> {
  const { settings, bus, logger, authUrl, callbacksUrl, metrics, parent } = options;
  if (settings.trustedProxies === 0 && settings.publicUrl.startsWith('https://')) {
    logger.warn('PUBLIC_URL is https and TRUSTED_PROXIES is 0: all callers share the rate limit of the proxy in front');
  }
  const rateLimits = new RateLimits(settings.rateLimits);
  // Middleware is not used, and its engine would run on every request.
  const adapter = new FastifyAdapter({ ...serverOptions(logger, settings, rateLimits), skipMiddie: true });
  const server = adapter.getInstance() as unknown as FastifyInstance;
  const http = new HttpDrain(server.server);
  guardConnections(server.server, http);
  const client = new MessageClient(bus);
  const grants = grantsFrom(client, settings);
  const slots = new RequestSlots({
    total: settings.requestsInProgress,
    perAddress: settings.requestsInProgressPerAddress,
  });
  const appRequests = new AppRequests();
  metrics?.register('appRequests', () => appRequests.reading());
  const admission = new Admission({ rateLimits, slots, grants, appRequests });
  const module = GatewayModule.with({ settings, client, grants, admission });
  const app = await NestFactory.create<NestFastifyApplication>(module, adapter, {
    logger: new NestPinoLogger(logger),
    bodyParser: false,
    abortOnError: false,
  });
  if (metrics !== undefined) measureRequests(server, metrics);
  if (isTracing()) traceRequests(server);
  allowOrigins(server, settings.corsOrigins);
  watchRequests(server, logger, { rateLimits, admission, publicUrl: settings.publicUrl });
  readBodies(server);
  app.useGlobalFilters(new ErrorFilter(logger));
  proxyPages(server, authUrl, admission);
  if (callbacksUrl !== null) proxyCallbacks(server, callbacksUrl, logger);
  app.connectMicroservice({ strategy: new BusServer(bus) });
  try {
    await app.startAllMicroservices();
    await app.listen({ port: settings.port, host: settings.host, backlog: LIMITS.gateway.connectionsWaiting });
  } catch (error) {
    await app.close();
    throw error;
  }
  const handed = parent && new HandedConnections(server.server, http, parent);
  const drain = async () => {
    await handed?.end();
    await http.drain();
  };
  let closed: Promise<void> | undefined;
  return { url: await app.getUrl(), close: () => (closed ??= closeWithin(app, server, drain)) };
}

async function closeWithin(
  app: NestFastifyApplication,
  server: FastifyInstance,
  drain: () => Promise<void>,
): Promise<void> {
  await drain();
  const timer = setTimeout(() => server.server.closeAllConnections(), LIMITS.gateway.closeWaitMs);
  try {
    await app.close();
  } finally {
    clearTimeout(timer);
  }
}
