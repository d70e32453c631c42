import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { DATABASE_SERVICES, SERVICE_NAMES, type ServiceName } from '@settle/contracts';
import {
  EventStoreDbStandIn,
  environmentOf,
  eventually,
  freePort,
  freshDatabase,
  readComposition,
  serviceOf,
  startComposedKafka,
  startPostgresForSpecs,
  stopPostgresOfSpecs,
  type ComposedKafka,
  type FreshDatabase,
  SPEC_DATA_KEY,
} from '@settle/testing';
import { environmentIn, podsOf, render, type RenderedContainer } from './helm-chart/rendered-chart.js';

const root = path.dirname(import.meta.dirname);
const START_TIMEOUT_MS = 120_000;
/** One after another in the worst case: Jobs, and the probes of four services. */
const INSTALL_TIMEOUT_MS = 300_000;
const JOB_TIMEOUT_MS = 60_000;
const READY_WAIT_MS = 60_000;
/** The broker of docker-compose.yml, which knows the principals of the chart and what each of them may do. */
const composition = readComposition({});

describe.each(['postgres', 'eventstoredb'])('the containers of the Helm chart with events in %s', (kind) => {
  let folder: string;
  let kafka: ComposedKafka;
  let standIn: EventStoreDbStandIn;
  let jobs: readonly RenderedContainer[];
  let services: readonly RenderedContainer[];
  const databases: FreshDatabase[] = [];
  const running: ChildProcess[] = [];

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'settle-chart-'));
    await startPostgresForSpecs();
    [kafka, standIn] = await Promise.all([startComposedKafka(composition), EventStoreDbStandIn.start()]);
    const resources = await render({
      kafka: { brokers: [kafka.address], saslMechanism: 'PLAIN', ssl: false, replicationFactor: 1 },
      eventStore: { kind },
    });
    const containersOf = (of: string) =>
      podsOf(resources.filter((resource) => resource.kind === of)).flatMap((pod) => pod.containers);
    [jobs, services] = [containersOf('Job'), containersOf('Deployment')];
    await writeSecret('kafka-setup', { KAFKA_PASSWORD: kafkaPasswordOf('kafka-setup') });
    for (const app of SERVICE_NAMES) {
      await writeSecret(app, { KAFKA_PASSWORD: kafkaPasswordOf(app), EVENTSTORE_URL: standIn.url });
    }
    await writeSecret('payments-service', { DATA_KEY: SPEC_DATA_KEY });
    for (const app of DATABASE_SERVICES) {
      const database = await freshDatabase();
      databases.push(database);
      await writeSecret(`${app}-migrations`, { MIGRATIONS_DATABASE_URL: await database.separateMigrations() });
      await writeSecret(app, { DATABASE_URL: database.url });
    }
  }, START_TIMEOUT_MS);
  afterAll(async () => {
    for (const child of running) {
      const ended = child.exitCode === null && child.signalCode === null ? once(child, 'exit') : null;
      child.kill('SIGKILL');
      await ended;
    }
    for (const database of databases) await database.drop();
    await standIn.stop();
    await kafka.stop();
    await stopPostgresOfSpecs();
    await rm(folder, { recursive: true });
  }, START_TIMEOUT_MS);

  const kafkaPasswordOf = (name: string) => environmentOf(serviceOf(composition, name))['KAFKA_PASSWORD'] ?? '';

  /** Writes keys of the Secret that a container mounts. */
  async function writeSecret(container: string, keys: Readonly<Record<string, string>>): Promise<void> {
    await mkdir(path.join(folder, container), { recursive: true });
    for (const [key, value] of Object.entries(keys)) await writeFile(path.join(folder, container, key), value);
  }

  /** Secrets are in a folder of the container's own. @param more settings that differ on one machine */
  const environmentHere = (container: RenderedContainer, more: Readonly<Record<string, string>> = {}) => ({
    ...environmentIn(container, path.join(folder, container.name)),
    ...more,
  });

  /** Starts it on ports of this machine. @returns the address that its readiness probe asks */
  async function start(container: RenderedContainer): Promise<string> {
    const { path: probed, port } = container.readinessProbe!.httpGet;
    const health = container.ports?.find(({ name }) => name === port);
    expect(environmentHere(container)['HEALTH_PORT']).toBe(String(health?.containerPort));
    const [PORT, HEALTH_PORT] = [String(await freePort()), String(await freePort())];
    const here = { PORT, HEALTH_PORT, HOST: '127.0.0.1', HEALTH_HOST: '127.0.0.1' };
    const child = spawn(process.execPath, container.command.slice(1), {
      cwd: root,
      env: environmentHere(container, here),
      stdio: 'ignore',
    });
    running.push(child);
    return `http://127.0.0.1:${HEALTH_PORT}${probed}`;
  }

  it(
    'given an installation, when its Jobs and then its Deployments run as processes, then the readiness probe of each service succeeds',
    async () => {
      const runJob = (job: RenderedContainer) =>
        promisify(execFile)(process.execPath, job.command.slice(1), {
          cwd: root,
          env: environmentHere(job),
          timeout: JOB_TIMEOUT_MS,
        });
      await Promise.all(jobs.map(runJob));
      expect(services.map(({ name }) => name as ServiceName).toSorted()).toEqual(SERVICE_NAMES.toSorted());
      for (const probe of await Promise.all(services.map(start))) {
        await eventually(async () => expect((await fetch(probe)).status).toBe(200), { timeoutMs: READY_WAIT_MS });
      }
    },
    INSTALL_TIMEOUT_MS,
  );
});
