import 'reflect-metadata';
import fastifyCookie from '@fastify/cookie';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { LIMITS, type Settings } from '@settle/config';
import { HttpDrain, guardConnections, transferEncodingProblem, type Checks } from '@settle/lifecycle';
import { BusServer, type MessageBus } from '@settle/messaging';
import { NestPinoLogger, SecurityLog, type Logger, type Metrics } from '@settle/observability';
import {
  checkSchema,
  createDataSource,
  createPool,
  databaseFailures,
  isServing,
  openDataSource,
  requireDatabaseMode,
} from '@settle/postgres';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AUTH_SCHEMA } from './auth-schema.js';
import { AuthModule, type AuthModuleOptions } from './auth.module.js';
import { scheduleHttpRedirectExpiry } from './authorize/http-redirects.js';
import { seedDemo } from './demo/seed-demo.js';
import { registerFormParsers } from './pages/form-parser.js';
import { buildSecurityHeaders } from './pages/page-headers.js';
import { ProblemFilter } from './problem.filter.js';
import { keepRequestContexts } from './request-context.js';
import { securityLogKey } from './security-log-key.js';
import { currentSecurityRequest } from './security-request.js';
import { createMessageSenders } from './messages/message-senders.js';
import { MessageQueue } from './messages/message-queue.js';
import { App } from './tables/app.entity.js';
import { Code } from './tables/code.entity.js';
import { ConsentRequest } from './tables/consent-request.entity.js';
import { Credential } from './tables/credential.entity.js';
import { LoginAddress } from './tables/login-address.entity.js';
import { MailboxMessage } from './tables/mailbox-message.entity.js';
import { NewPerson } from './tables/new-person.entity.js';
import { AuthorizationCode } from './tables/authorization-code.entity.js';
import { Authorization } from './tables/authorization.entity.js';
import { Consent } from './tables/consent.entity.js';
import { RefreshToken } from './tables/refresh-token.entity.js';
import { Session } from './tables/session.entity.js';
import { SignUp } from './tables/sign-up.entity.js';
import { Token } from './tables/token.entity.js';
import { Revocations } from './tokens/revocations.js';
import { answerUnrouted } from './unrouted.js';

/** Only the gateway calls, and what it adds to `X-Forwarded-For` is the caller's address; what stood there is hearsay. */
const trustGatewayAlone = (_address: string, hop: number) => hop === 0;
const FORM_BYTES = 16_384;

const AUTH_ENTITIES = [
  ...[App, Authorization, AuthorizationCode, Code, Consent, ConsentRequest, Credential, LoginAddress, MailboxMessage],
  ...[NewPerson, RefreshToken, Session, SignUp, Token],
];

export interface AuthServiceOptions {
  readonly settings: Settings;
  readonly bus: MessageBus;
  readonly logger: Logger;
  readonly databaseUrl: string;
  /** Absent: nothing is measured. */
  readonly metrics?: Metrics | undefined;
  /**
   * Where gateways in other processes find the pages. Absent in the embedded shape: a port of this machine, another
   * one at every start, and no other instance works on the database.
   */
  readonly listen?: { readonly host: string; readonly port: number };
}

export interface AuthService {
  /** Where the pages are, for the gateway alone. */
  readonly url: string;
  readonly checks: Checks;
  /** Leaves the telling of revocations to another instance, while the bus still takes what is in hand. */
  drain(): Promise<void>;
  /** Lets running requests for pages finish within bounds, and closes everything but the bus. */
  close(): Promise<void>;
}

const OWN_MACHINE = { host: '127.0.0.1', port: 0 };

/** Makes the demo data if wanted, answers `auth.*` requests on the bus and serves the pages. */
export async function startAuthService({
  settings,
  bus,
  logger,
  databaseUrl,
  listen,
  metrics,
}: AuthServiceOptions): Promise<AuthService> {
  databaseFailures.logTo(logger);
  const pool = createPool(databaseUrl, { max: LIMITS.auth.poolConnections, name: 'auth', metrics });
  const dataSource = createDataSource({
    name: 'auth',
    url: databaseUrl,
    entities: AUTH_ENTITIES,
  });
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
    const security = new SecurityLog({
      logger,
      metrics,
      request: currentSecurityRequest(await securityLogKey(pool, settings)),
    });
    const messages = new MessageQueue(createMessageSenders(settings, dataSource, logger), logger);
    const { app, http } = await serve(
      { settings, logger, security, bus, dataSource, pool, messages, isOnlyInstance: listen === undefined },
      listen ?? OWN_MACHINE,
    );
    const close = async () => {
      await http.drain();
      await app.close();
      await messages.close();
      await closeStores();
    };
    const checks = { postgres: () => isServing(databaseUrl) };
    return { url: await app.getUrl(), checks, drain: () => app.get(Revocations).stop(), close };
  } catch (error) {
    await closeStores();
    throw error;
  }
}

interface Serving {
  readonly app: NestFastifyApplication;
  readonly http: HttpDrain;
}

async function serve(parts: AuthModuleOptions, { host, port }: typeof OWN_MACHINE): Promise<Serving> {
  const { settings, logger, bus } = parts;
  const adapter = new FastifyAdapter({
    trustProxy: trustGatewayAlone,
    bodyLimit: FORM_BYTES,
    requestTimeout: LIMITS.gateway.requestTimeoutMs,
    // What still arrives on an open connection while closing is answered like any other request.
    return503OnClosing: false,
    // `guardConnections` answers.
    clientErrorHandler: () => undefined,
    // Refused before any route or filter is known.
    frameworkErrors: (_error: Error, _request: FastifyRequest, reply: FastifyReply) => {
      void reply.code(400).send({ error: { message: 'The address cannot be read.', code: 'invalid_request' } });
    },
  });
  const http = new HttpDrain(adapter.getInstance().server);
  guardConnections(adapter.getInstance().server, http);
  const app = await NestFactory.create<NestFastifyApplication>(AuthModule.register(parts), adapter, {
    logger: new NestPinoLogger(logger),
    abortOnError: false,
    bodyParser: false,
  });
  try {
    await app.register(fastifyCookie);
    registerFormParsers(adapter.getInstance());
    const headers = buildSecurityHeaders(settings);
    adapter.getInstance().addHook('onRequest', async (_request, reply) => void reply.headers(headers));
    adapter
      .getInstance()
      .addHook('onRequest', ({ raw }, _reply, done) => done(transferEncodingProblem(raw) ?? undefined));
    keepRequestContexts(adapter.getInstance());
    answerUnrouted(adapter.getInstance());
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
