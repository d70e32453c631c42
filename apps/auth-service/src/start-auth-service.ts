import 'reflect-metadata';
import type { Server } from 'node:http';
import fastifyCookie from '@fastify/cookie';
import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { LIMITS, type Settings } from '@settle/config';
import {
  HandedConnections,
  HttpDrain,
  guardConnections,
  findTransferEncodingError,
  type Checks,
  type ParentChannel,
} from '@settle/lifecycle';
import { BusServer, type MessageBus } from '@settle/messaging';
import { NestPinoLogger, SecurityLog, type Logger, type Metrics } from '@settle/observability';
import {
  checkSchema,
  createDatabaseCheck,
  createDataSource,
  createPool,
  databaseFailures,
  openDataSource,
  requireDatabaseMode,
} from '@settle/postgres';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AUTH_ENTITIES } from './tables/auth-entities.js';
import { AUTH_SCHEMA } from './tables/auth-schema.js';
import { AuthModule, type AuthModuleOptions } from './auth.module.js';
import { scheduleHttpRedirectExpiry } from './authorize/http-redirects.js';
import { seedDemo } from './demo/seed-demo.js';
import { registerFormParsers } from './http/form-parser.js';
import { buildSecurityHeaders } from './http/page-headers.js';
import { PageAdapter } from './http/page-response.js';
import { ProblemFilter } from './problems/problem.filter.js';
import { addRequestContexts } from './security-log/request-context.js';
import { loadSecurityLogKey } from './security-log/security-log-key.js';
import { createSecurityRequestReader } from './security-log/security-request.js';
import { createMessageSenders } from './messages/message-senders.js';
import { MessageQueue } from './messages/message-queue.js';
import { RevocationPublisher } from './tokens/revocation-publisher.js';
import { handleUnroutedRequests } from './http/unrouted-requests.js';

/** Only the gateway connects, and only its own entry in `X-Forwarded-For`, the caller's address, is trusted. */
const trustOnlyGateway = (_address: string, hop: number) => hop === 0;
const FORM_BYTES = 16_384;

export interface AuthServiceOptions {
  readonly settings: Settings;
  readonly bus: MessageBus;
  readonly logger: Logger;
  readonly databaseUrl: string;
  /** Absent: no metrics. */
  readonly metrics?: Metrics | undefined;
  /**
   * The address on which gateways in other processes reach the pages. Absent in the embedded shape: a random local
   * port, and no other instance uses the database.
   */
  readonly listen?: { readonly host: string; readonly port: number };
  /** The process that accepts connections for this one; absent: none does. */
  readonly parent?: ParentChannel;
}

export interface AuthService {
  /** The base URL of the pages, for the gateway only. */
  readonly url: string;
  readonly checks: Checks;
  /** Completes page requests in progress and hands the publishing of revocations over; messages are still handled. */
  drain(): Promise<void>;
  /** Waits, for a limited time, for page requests in progress and closes everything but the bus. */
  close(): Promise<void>;
}

const LOOPBACK = { host: '127.0.0.1', port: 0 };

/** Creates the demo data if configured, handles `auth.*` requests on the bus and serves the pages. */
export async function startAuthService(options: AuthServiceOptions): Promise<AuthService> {
  const { settings, bus, logger, databaseUrl, listen, metrics, parent } = options;
  databaseFailures.setLogger(logger);
  const pool = createPool(databaseUrl, { max: LIMITS.auth.poolConnections, name: 'auth', metrics });
  const dataSource = createDataSource({ name: 'auth', url: databaseUrl, entities: AUTH_ENTITIES });
  const closeStores = async () => {
    if (dataSource.isInitialized) await dataSource.destroy();
    await pool.end();
  };
  try {
    await checkSchema(AUTH_SCHEMA, pool);
    await requireDatabaseMode(pool, settings.nodeEnv);
    await openDataSource(dataSource, metrics);
    if (settings.demo) await seedDemo(dataSource, settings);
    await scheduleHttpRedirectExpiry(dataSource, settings);
    const request = createSecurityRequestReader(await loadSecurityLogKey(pool, settings));
    const security = new SecurityLog({ logger, metrics, request });
    const messages = new MessageQueue(await createMessageSenders(settings, dataSource, logger), logger);
    const { app, http } = await startHttpService(
      { settings, logger, security, bus, dataSource, pool, messages, isOnlyInstance: listen === undefined },
      listen ?? LOOPBACK,
    );
    const server = app.getHttpServer() as Server;
    const handed = parent && new HandedConnections(server, http, parent);
    const drainHttp = async () => {
      await handed?.end();
      await http.drain();
      server.closeIdleConnections();
    };
    const drain = async () => void (await Promise.all([drainHttp(), app.get(RevocationPublisher).stop()]));
    const close = async () => {
      await drainHttp();
      await app.close();
      await messages.close();
      await closeStores();
    };
    const checks = { postgres: createDatabaseCheck(databaseUrl) };
    return { url: await app.getUrl(), checks, drain, close };
  } catch (error) {
    await closeStores();
    throw error;
  }
}

async function startHttpService(parts: AuthModuleOptions, { host, port }: typeof LOOPBACK) {
  const { settings, logger, bus } = parts;
  const adapter = new PageAdapter({
    trustProxy: trustOnlyGateway,
    bodyLimit: FORM_BYTES,
    requestTimeout: LIMITS.gateway.requestTimeoutMs,
    // Requests on open connections are still handled while the server closes.
    return503OnClosing: false,
    // `guardConnections` responds to these errors.
    clientErrorHandler: () => undefined,
    // Responds to malformed URLs, which Fastify refuses before routing.
    frameworkErrors: (_error: Error, _request: FastifyRequest, reply: FastifyReply) => {
      void reply.code(400).send({ error: { message: 'The address cannot be read.', code: 'invalid_request' } });
    },
  });
  const fastify = adapter.getInstance();
  const http = new HttpDrain(fastify.server);
  guardConnections(fastify.server, http);
  const app = await NestFactory.create<NestFastifyApplication>(AuthModule.register(parts), adapter, {
    logger: new NestPinoLogger(logger),
    abortOnError: false,
    bodyParser: false,
  });
  try {
    await app.register(fastifyCookie);
    registerFormParsers(fastify);
    const headers = buildSecurityHeaders(settings);
    fastify.addHook('onRequest', async (_request, reply) => void reply.headers(headers));
    fastify.addHook('onRequest', ({ raw }, _reply, done) => done(findTransferEncodingError(raw) ?? undefined));
    addRequestContexts(fastify);
    handleUnroutedRequests(fastify);
    app.useGlobalFilters(new ProblemFilter(settings.publicUrl, logger));
    app.connectMicroservice({ strategy: new BusServer(bus) });
    await app.startAllMicroservices();
    await app.listen(port, host);
    return { app, http };
  } catch (error) {
    await app.close();
    throw error;
  }
}
