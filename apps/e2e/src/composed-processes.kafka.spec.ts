import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { DEMO_USERS, TOPICS } from '@settle/contracts';
import {
  COMPOSE_PASSWORDS,
  environmentOf,
  EventStoreDbStandIn,
  eventually,
  freePort,
  freshDatabase,
  readComposition,
  serviceOf,
  startComposedKafka,
  startPostgresForSpecs,
  stopPostgresOfSpecs,
  testAdminUrl,
  type ComposedKafka,
  type FreshDatabase,
} from '@settle/testing';
import kafkajs from 'kafkajs';
import { loadToken } from './sign-in.js';
import { migrate, startService, type ServiceProcess } from './service-process.fixture.js';

const PROFILES = {
  postgres: ['auth-service', 'users-service', 'payments-service', 'api-gateway'],
  eventstoredb: ['auth-service', 'users-service', 'payments-service-on-eventstoredb', 'api-gateway'],
};

const ROOT = join(import.meta.dirname, '..', '..', '..');

/** There is no container engine here: processes replace containers, and addresses of this machine replace host names. */
describe.each(Object.entries(PROFILES))(
  'the services as docker-compose.yml configures them, profile %s',
  (_profile, names) => {
    const composition = readComposition({});
    const running: ServiceProcess[] = [];
    const databases: FreshDatabase[] = [];
    let places: readonly (readonly [inContainer: RegExp, here: string])[];
    let publicUrl: string;
    let standIn: EventStoreDbStandIn;
    let kafka: ComposedKafka;
    let secrets: string;
    const topicPrefix = `spec-${randomBytes(6).toString('hex')}.`;

    beforeAll(async () => {
      secrets = await mkdtemp(join(tmpdir(), 'settle-composed-'));
      await startPostgresForSpecs();
      standIn = await EventStoreDbStandIn.start();
      kafka = await startComposedKafka(composition);
      const [port, authPort] = [await freePort(), await freePort()];
      publicUrl = `http://127.0.0.1:${port}`;
      places = [
        [/^0\.0\.0\.0$/, '127.0.0.1'],
        [/^kafka:9092$/, kafka.address],
        [/@postgres:5432/, `@${new URL(testAdminUrl()).host}`],
        [/^esdb:\/\/eventstoredb:2113.*$/, standIn.url],
        [/^http:\/\/auth-service:3001$/, `http://127.0.0.1:${authPort}`],
        [/^http:\/\/localhost:3000$/, publicUrl],
        [/^3000$/, String(port)],
        [/^3001$/, String(authPort)],
      ];
      for (const name of names) {
        const url = environmentOf(serviceOf(composition, name))['DATABASE_URL'];
        if (url === undefined) continue;
        const { username, password } = new URL(url);
        const database = await freshDatabase(username, password);
        databases.push(database);
        await database.separateMigrations(COMPOSE_PASSWORDS.MIGRATIONS_DB_PASSWORD);
        const [migrations] = Object.keys(serviceOf(composition, name).depends_on ?? {}).filter((other) =>
          other.endsWith('-migrations'),
        );
        const app =
          serviceOf(composition, migrations ?? '')
            .command?.at(-1)
            ?.split('/')[1] ?? '';
        await migrate(app, environmentHere(migrations ?? ''));
      }
    });
    afterAll(async () => {
      for (const service of running) {
        service.signal('SIGKILL');
        await service.ended();
      }
      for (const database of databases) await database.drop();
      await standIn.stop();
      await kafka.stop();
      await rm(secrets, { recursive: true });
      await stopPostgresOfSpecs();
    });

    function environmentHere(name: string): Record<string, string> {
      const given = Object.entries(environmentOf(serviceOf(composition, name)));
      return Object.fromEntries(
        given.map(([key, value]) => [
          key,
          places.reduce((text, [pattern, here]) => text.replace(pattern, here), value),
        ]),
      );
    }

    /** Writes the Kafka password of a service to its file in one step, and returns the file. */
    async function writePassword(name: string, password: string): Promise<string> {
      const file = join(secrets, name);
      await writeFile(`${file}.new`, password);
      await rename(`${file}.new`, file);
      return file;
    }

    async function pay(): Promise<Response> {
      process.env['BASE_URL'] = `${publicUrl}/v1`;
      const body = new URLSearchParams({ user_id: DEMO_USERS.bob.id, amount: '0.01', note: 'with rights' });
      const headers = { authorization: `Bearer ${await loadToken('alice')}` };
      return fetch(`${publicUrl}/v1/payments`, { method: 'POST', headers, body });
    }

    /** Sends a record directly to Kafka, as a client with the password of a service could. */
    async function produceAs(name: string, topic: string): Promise<void> {
      const { KAFKA_USERNAME: username = '', KAFKA_PASSWORD: password = '' } = environmentHere(name);
      const { logLevel, Partitioners, Kafka } = kafkajs;
      const client = { brokers: [kafka.address], sasl: { mechanism: 'plain', username, password } as const };
      const producer = new Kafka({ ...client, logLevel: logLevel.NOTHING, retry: { retries: 5 } }).producer({
        createPartitioner: Partitioners.DefaultPartitioner,
      });
      await producer.connect();
      try {
        await producer.send({ topic: `${topicPrefix}${topic}`, messages: [{ key: 'k', value: '{}' }] });
      } finally {
        await producer.disconnect();
      }
    }

    it('given its settings, when each process starts, then it is ready and the sign-in page is served through all', async () => {
      const apart = { KAFKA_TOPIC_PREFIX: topicPrefix };
      const setUp = serviceOf(composition, 'kafka-setup').command?.at(-1) ?? '';
      const { PATH = '' } = process.env;
      const env = { PATH, ...environmentHere('kafka-setup'), ...apart };
      await promisify(execFile)(process.execPath, [setUp], { cwd: ROOT, env });
      for (const name of names) {
        const app = serviceOf(composition, name).command?.at(-1)?.split('/')[1] ?? '';
        const { KAFKA_PASSWORD = '', ...others } = environmentHere(name);
        const KAFKA_PASSWORD_FILE = await writePassword(name, KAFKA_PASSWORD);
        running.push(await startService(app, { ...others, KAFKA_PASSWORD_FILE, ...apart }));
      }
      await Promise.all(running.map((service) => service.ready()));
      const response = await fetch(`${publicUrl}/v1/oauth/authorize?client_id=demo-app&scope=make_payments`);
      expect([response.status, await response.text()]).toEqual([200, expect.stringContaining('name="password"')]);
    });

    it('given the database and Kafka rights of the services, when one user pays another, then the payment settles', async () => {
      const response = await pay();
      expect([response.status, await response.json()]).toMatchObject([
        200,
        { data: { payment: { status: 'settled' } } },
      ]);
    });

    it.each([
      ['users-service', TOPICS.paymentsCommands],
      ['users-service', TOPICS.paymentsEvents],
      ['api-gateway', TOPICS.usersState],
      ['api-gateway', TOPICS.authRevocations],
    ])('given the password of %s, when a record is written to %s, then the broker rejects it', async (name, topic) => {
      await expect(produceAs(name, topic)).rejects.toThrow(/not authorized/i);
    });

    it('given topics that were not set up, when a service starts, then one line names the missing right', async () => {
      const env = { ...environmentHere('users-service'), KAFKA_TOPIC_PREFIX: 'elsewhere.' };
      const { code, errors } = await (await startService('users-service', env)).ended();
      const problem = /Kafka does not allow Create on topic elsewhere\.payments\.queries, elsewhere\.users\.requests/;
      expect([code, errors]).toEqual([1, [expect.stringMatching(problem)]]);
    });

    it('given the password of users-service, when it writes to its own topic, then the broker accepts it', async () => {
      await produceAs('users-service', 'dead-letters');
    });

    it('given payments in progress, when the broker and all services get new passwords, then payments continue and the old passwords are rejected', async () => {
      const statuses: number[] = [];
      const stopping = new AbortController();
      const paying = (async () => {
        while (!stopping.signal.aborted) statuses.push((await pay()).status);
      })();
      try {
        await eventually(async () => expect(statuses.length).toBeGreaterThan(2));
        const passwords = { GATEWAY: 'n2Ga', AUTH: 'n3Au', USERS: 'n4Us', PAYMENTS: 'n5Pa' };
        const changed = readComposition(
          Object.fromEntries(Object.entries(passwords).map(([name, word]) => [`${name}_KAFKA_PASSWORD`, word])),
        );
        for (const name of names) {
          await writePassword(name, environmentOf(serviceOf(changed, name))['KAFKA_PASSWORD'] ?? '');
        }
        await kafka.restart(changed);
        const before = statuses.length;
        await eventually(async () =>
          expect(statuses.slice(before).filter((status) => status === 200).length).toBeGreaterThan(5),
        );
      } finally {
        stopping.abort();
        await paying;
      }
      // A restarting broker causes 503 and 504. No other status shows a sign-in to Kafka that was rejected for long.
      expect(statuses.filter((status) => ![200, 503, 504].includes(status))).toEqual([]);
      await expect(produceAs('users-service', 'dead-letters')).rejects.toThrow(/authentication/i);
    });
  },
);
