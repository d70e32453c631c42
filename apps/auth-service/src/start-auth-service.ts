import 'reflect-metadata';
import fastifyCookie from '@fastify/cookie';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { LIMITS, type Settings } from '@settle/config';
import { BusServer, type MessageBus } from '@settle/messaging';
import { NestPinoLogger, type Logger } from '@settle/observability';
import { createDataSource, createPool } from '@settle/postgres';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AuthModule, type AuthModuleParts } from './auth.module.js';
import { removeDemo } from './demo/remove-demo.js';
import { seedDemo } from './demo/seed-demo.js';
import { securityHeaders } from './pages/page-headers.js';
import { ProblemFilter } from './problem.filter.js';
import { App } from './tables/app.entity.js';
import { ConsentRequest } from './tables/consent-request.entity.js';
import { CreateAuthTables1767225600000 } from './tables/create-tables.migration.js';
import { Credential } from './tables/credential.entity.js';
import { Session } from './tables/session.entity.js';
import { Token } from './tables/token.entity.js';

/** Only the gateway calls, and what it adds to `X-Forwarded-For` is the caller's address; what stood there is hearsay. */
const trustGatewayAlone = (_address: string, hop: number) => hop === 0;
const FORM_BYTES = 16_384;

export interface AuthServiceOptions {
  readonly settings: Settings;
  readonly bus: MessageBus;
  readonly logger: Logger;
  readonly databaseUrl: string;
}

export interface AuthService {
  /** Where the pages are, for the gateway alone: a port of this machine, another one at every start. */
  readonly url: string;
  close(): Promise<void>;
}

/** Runs the migrations, makes the demo data if wanted, answers `auth.*` requests on the bus and serves the pages. */
export async function startAuthService({
  settings,
  bus,
  logger,
  databaseUrl,
}: AuthServiceOptions): Promise<AuthService> {
  const pool = createPool(databaseUrl, { max: LIMITS.auth.poolConnections, name: 'auth' });
  const dataSource = createDataSource({
    name: 'auth',
    url: databaseUrl,
    entities: [App, ConsentRequest, Credential, Session, Token],
    migrations: [CreateAuthTables1767225600000],
  });
  const closeStores = async () => {
    if (dataSource.isInitialized) await dataSource.destroy();
    await pool.end();
  };
  try {
    await dataSource.initialize();
    if (settings.demo) await seedDemo(dataSource, settings);
    if (settings.nodeEnv === 'production') await removeDemo(dataSource);
    const app = await listen({ settings, logger, bus, dataSource, pool });
    const close = async () => {
      await app.close();
      await closeStores();
    };
    return { url: await app.getUrl(), close };
  } catch (error) {
    await closeStores();
    throw error;
  }
}

async function listen(parts: AuthModuleParts): Promise<NestFastifyApplication> {
  const { settings, logger, bus } = parts;
  const adapter = new FastifyAdapter({
    trustProxy: trustGatewayAlone,
    bodyLimit: FORM_BYTES,
    requestTimeout: LIMITS.gateway.requestTimeoutMs,
    // Refused before any route or filter is known.
    frameworkErrors: (_error: Error, _request: FastifyRequest, reply: FastifyReply) => {
      void reply.code(400).send({ error: { message: 'The address cannot be read.', code: 'invalid_request' } });
    },
  });
  const app = await NestFactory.create<NestFastifyApplication>(AuthModule.with(parts), adapter, {
    logger: new NestPinoLogger(logger),
    abortOnError: false,
  });
  try {
    await app.register(fastifyCookie);
    const headers = securityHeaders(settings);
    adapter.getInstance().addHook('onRequest', async (_request, reply) => void reply.headers(headers));
    app.useGlobalFilters(new ProblemFilter(settings.publicUrl, logger));
    app.connectMicroservice({ strategy: new BusServer(bus) });
    await app.startAllMicroservices();
    await app.listen(0, '127.0.0.1');
    return app;
  } catch (error) {
    await app.close();
    throw error;
  }
}
