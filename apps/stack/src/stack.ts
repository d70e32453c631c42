import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { LIMITS, type Settings } from '@settle/config';
import { SERVICES, SERVICE_NAMES, databaseNameOf, type ServiceName } from '@settle/contracts';
import {
  claimDataFolder,
  connectReferenceProvider,
  prepareDataKey,
  prepareDatabases,
  programOf,
  readyMessage,
  startPostgres,
  type ServiceDatabases,
} from '@settle/launching';
import type { Running } from '@settle/lifecycle';
import { freePort, stopOrphanedBroker, kafkaJars } from '@settle/local-kafka';
import { createLogger, type Logger } from '@settle/observability';
import type { Command, Counts } from './arguments.js';
import { serveControl } from './control-server.js';
import { ConnectionDispatcher } from './connection-dispatcher.js';
import type { Instance } from './instance.js';
import { InstanceGroup, type StackParts } from './instance-group.js';
import { ManagedBroker } from './managed-broker.js';
import { ReservedPorts } from './reserved-ports.js';
import { LogLines } from './log-lines.js';
import { migrateDatabases } from './migrate-databases.js';
import { ProcessNotes } from './process-notes.js';
import { processEnvironment } from './stack-environment.js';

const GATEWAY = 'api-gateway';
/** As an upgrade replaces them: payments first, gateways last. */
const RESTART_ORDER = [...SERVICE_NAMES.filter((service) => service !== GATEWAY), GATEWAY] as const;
/** payments-service alone talks to the payment provider, and holds its secret and the key of notes. */
const NO_PAYMENTS_SECRETS = {
  DATA_KEY: undefined,
  DATA_KEY_FILE: undefined,
  FUNDING_PROVIDER_URL: undefined,
  FUNDING_PROVIDER_SECRET: undefined,
  FUNDING_PROVIDER_SECRET_FILE: undefined,
};

export type StackStatus = Awaited<ReturnType<Stack['status']>>;

/** All services as processes of one machine, with what they stand on. What is started first is stopped last. */
export class Stack {
  readonly #logger: Logger;
  readonly #groups = new Map<ServiceName, InstanceGroup>();
  #broker: ManagedBroker | null = null;
  #brokers: readonly string[] = [];
  #publicPort: ConnectionDispatcher | null = null;
  /** The reference provider; null: it does not run. */
  #provider: Instance | null = null;
  /** Settings of payments-service for the provider that the stack has started; null: those of the operator. */
  #connection: Awaited<ReturnType<typeof connectReferenceProvider>> = null;
  /** Setting of payments-service; empty: that of the operator. */
  #dataKey: Awaited<ReturnType<typeof prepareDataKey>> = {};

  /** @param say called with each line of progress */
  constructor(
    private readonly settings: Settings,
    private readonly running: Running,
    private readonly say: (line: string) => void,
  ) {
    this.#logger = createLogger({ level: settings.logLevel, service: 'stack' });
  }

  /** Resolves with what to tell once everything is ready. */
  async start(counts: Counts): Promise<string> {
    const { settings, running } = this;
    const { dataDir } = settings;
    // Missing programs are reported before anything runs.
    if (settings.kafka.brokers.length === 0) await kafkaJars();
    const folder = await claimDataFolder(dataDir);
    running.add('the data folder', () => folder.release());
    const notes = new ProcessNotes(dataDir);
    const left = (await notes.endLeftovers()) + Number(await stopOrphanedBroker(dataDir));
    if (left > 0) this.#logger.warn(`Ended ${left} processes that an earlier run had left behind`);
    const ports = await ReservedPorts.in(dataDir);
    const lines = new LogLines(process.stdout, process.stdout.isTTY);
    const parts = { ports, notes, lines, logger: this.#logger };

    // Both are waited for, also when one fails: what comes up behind the back of a stop would stay.
    const [databases, kafka] = await Promise.allSettled([this.#startPostgres(parts), this.#startKafka(ports)]);
    if (databases.status === 'rejected') throw databases.reason;
    if (kafka.status === 'rejected') throw kafka.reason;

    this.say('Starting the services');
    const pagesPort = await ports.take('auth pages');
    const pagesAddress = { host: '127.0.0.1', port: pagesPort };
    const pages = await ConnectionDispatcher.listen(pagesAddress, LIMITS.stack.pageConnectionWaitMs);
    running.add('the port of the pages', async () => pages.close());
    const publicPort = await ConnectionDispatcher.listen(settings);
    this.#publicPort = publicPort;
    const callbacks = await this.#listenForCallbacks(ports);
    const dispatchers = {
      [GATEWAY]: publicPort,
      'auth-service': pages,
      ...(callbacks && { 'payments-service': callbacks }),
    };
    this.#addServices(databases.value, dispatchers, parts);
    running.add('the public port', async () => publicPort.close());
    const services = [...this.#groups].map(([service, instances]) => instances.start(counts[service]));
    await Promise.all([this.#provider?.start(), ...services]);
    const control = await serveControl({ dataDir, brokers: this.#brokers }, (command, say) =>
      this.#execute(command, say),
    );
    running.add('the control port', () => control.close());
    for (const line of await this.#places()) this.say(line);
    return readyMessage(settings, publicPort.url);
  }

  async #startPostgres(parts: StackParts): Promise<ServiceDatabases> {
    this.say('Starting PostgreSQL');
    const { databaseConnections } = LIMITS.stack;
    const postgres = await startPostgres(this.settings, this.#logger, databaseConnections);
    this.running.add('PostgreSQL', () => postgres.stop());
    const databases = await prepareDatabases(postgres.adminUrl, this.settings.dataDir);
    await migrateDatabases(databases, this.#environment());
    this.#dataKey = await prepareDataKey(this.settings);
    await this.#prepareProvider(postgres.adminUrl, parts);
    return databases;
  }

  async #prepareProvider(adminUrl: string, parts: StackParts): Promise<void> {
    const { settings } = this;
    if (!settings.referenceProvider) {
      await connectReferenceProvider(settings, null);
      return;
    }
    const { createProviderProcess } = await import('./provider-process.js');
    const made = await createProviderProcess({ settings, adminUrl, env: this.#environment(), parts });
    [this.#provider, this.#connection] = [made.process, made.connection];
    this.running.add('the reference provider', () => made.process.stop());
  }

  async #startKafka(ports: ReservedPorts): Promise<void> {
    const { brokers, port } = this.settings.kafka;
    this.#brokers = brokers.length > 0 ? brokers : [`127.0.0.1:${port}`];
    if (brokers.length > 0) return;
    await freePort(port).catch((cause: unknown) => {
      const problem = `Port ${port} on 127.0.0.1 is in use, where Kafka is to listen: set KAFKA_PORT to another one`;
      throw new Error(problem, { cause });
    });
    this.say('Starting Kafka');
    const { dataDir } = this.settings;
    const place = { dataDir, port, controllerPort: await ports.take('Kafka controller') };
    const broker = new ManagedBroker(place, this.#logger);
    await broker.start();
    this.#broker = broker;
    this.running.add('Kafka', () => broker.stop());
  }

  /** Null without a payment provider: then no callbacks arrive. */
  async #listenForCallbacks(ports: ReservedPorts): Promise<ConnectionDispatcher | null> {
    if (this.settings.funding.provider === null && this.#connection === null) return null;
    const address = { host: '127.0.0.1', port: await ports.take('provider callbacks') };
    const dispatcher = await ConnectionDispatcher.listen(address, LIMITS.stack.pageConnectionWaitMs);
    this.running.add('the port of the callbacks', async () => dispatcher.close());
    return dispatcher;
  }

  /** @param dispatchers of the services that take requests over HTTP */
  #addServices(
    databases: ServiceDatabases,
    dispatchers: Readonly<Partial<Record<ServiceName, ConnectionDispatcher>>>,
    parts: StackParts,
  ): void {
    for (const service of SERVICE_NAMES) {
      const { name, hasDatabase } = SERVICES[service];
      const own = hasDatabase
        ? { DATABASE_URL: databases[databaseNameOf(service)].service }
        : { AUTH_URL: dispatchers['auth-service']?.url, PROVIDER_CALLBACKS_URL: dispatchers['payments-service']?.url };
      const funding = { FUNDING_PAGE_ORIGINS: this.settings.funding.pageOrigins.join(','), ...this.#connection };
      const secrets = service === 'payments-service' ? this.#dataKey : NO_PAYMENTS_SECRETS;
      const env = { ...this.#environment(), ...own, ...funding, ...secrets };
      const dispatcher = dispatchers[service] ?? null;
      this.#groups.set(service, new InstanceGroup({ name, main: programOf(service, 'main'), env, dispatcher, parts }));
    }
    const { [GATEWAY]: gateways, ...others } = Object.fromEntries(this.#groups);
    const close = async (groups: readonly (InstanceGroup | undefined)[]) =>
      void (await Promise.all(groups.map((group) => group?.close())));
    this.running.add('the services', () => close(Object.values(others)));
    this.running.add('the gateways', () => close([gateways]));
  }

  #environment(): Record<string, string | undefined> {
    return processEnvironment(this.settings, this.#brokers);
  }

  async #execute(command: Command, say: (line: string) => void): Promise<unknown> {
    const tell = (line: string) => {
      this.#logger.info(line);
      say(line);
    };
    if (command.kind === 'scale') await this.#groups.get(command.service)?.scale(command.count, tell);
    else if (command.kind === 'restart') {
      const services = command.service === null ? RESTART_ORDER : [command.service];
      for (const service of services) await this.#groups.get(service)?.restart(tell);
    } else if (command.kind === 'kafka') {
      if (this.#broker === null) throw new Error('The broker is not one of this stack');
      if (command.action === 'stop') await this.#broker.hold();
      else this.#broker.letGo();
    }
    return this.status();
  }

  /** Returns the state that the command `status` prints. The id of a process is null if it is not ours or does not run. */
  async status() {
    const note = join(this.settings.dataDir, 'postgres', 'postmaster.pid');
    const [pid] = (await readFile(note, 'utf8').catch(() => '')).split('\n');
    return {
      url: this.#publicPort?.url ?? '',
      pid: process.pid,
      kafka: { brokers: this.#brokers, pid: this.#broker?.pid ?? null },
      postgres: { pid: this.settings.databaseUrl === null ? Number(pid) || null : null },
      instances: [
        ...(this.#provider === null ? [] : [this.#provider.state]),
        ...[...this.#groups.values()].flatMap((group) => group.states()),
      ],
    };
  }

  /** Where everything listens, a line each. */
  async #places(): Promise<string[]> {
    const { kafka, instances } = await this.status();
    return [
      `Kafka on ${kafka.brokers.join(', ')}`,
      ...instances.map(({ name, httpPort, healthPort }) => {
        const requests = httpPort === null ? '' : `requests on ${httpPort}, `;
        return `${name}: ${requests}health on ${healthPort}`;
      }),
    ];
  }
}
