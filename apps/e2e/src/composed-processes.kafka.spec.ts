import { randomBytes } from 'node:crypto';
import {
  EventStoreDbStandIn,
  composed,
  environmentOf,
  freshDatabase,
  serviceOf,
  startPostgresForSpecs,
  stopPostgresOfSpecs,
  testAdminUrl,
  type FreshDatabase,
} from '@settle/testing';
import { freePort, startService, type ServiceProcess } from './service-process.fixture.js';

const PROFILES = {
  postgres: ['auth-service', 'users-service', 'payments-service', 'api-gateway'],
  eventstoredb: ['auth-service', 'users-service', 'payments-service-on-eventstoredb', 'api-gateway'],
};

/** No engine runs here: processes stand in for containers, and addresses of this machine for the names of hosts. */
describe.each(Object.entries(PROFILES))(
  'the services as docker-compose.yml has them, profile %s',
  (_profile, names) => {
    const composition = composed({});
    const running: ServiceProcess[] = [];
    const databases: FreshDatabase[] = [];
    let places: readonly (readonly [inContainer: RegExp, here: string])[];
    let publicUrl: string;
    let standIn: EventStoreDbStandIn;

    beforeAll(async () => {
      await startPostgresForSpecs();
      standIn = await EventStoreDbStandIn.start();
      const [port, authPort] = [await freePort(), await freePort()];
      publicUrl = `http://127.0.0.1:${port}`;
      places = [
        [/^0\.0\.0\.0$/, '127.0.0.1'],
        [/^kafka:9092$/, process.env['SETTLE_TEST_KAFKA'] ?? ''],
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
        databases.push(await freshDatabase(username, password));
      }
    });
    afterAll(async () => {
      for (const service of running) {
        service.signal('SIGKILL');
        await service.ended();
      }
      for (const database of databases) await database.drop();
      await standIn.stop();
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

    it('given its variables, when each process starts, then it is ready, and the sign-in page is served through all', async () => {
      const apart = { KAFKA_TOPIC_PREFIX: `spec-${randomBytes(6).toString('hex')}.` };
      for (const name of names) {
        const app = serviceOf(composition, name).command?.at(-1)?.split('/')[1] ?? '';
        running.push(await startService(app, { ...environmentHere(name), ...apart }));
      }
      await Promise.all(running.map((service) => service.ready()));
      const answer = await fetch(`${publicUrl}/v1/oauth/authorize?client_id=demo-app&scope=make_payments`);
      expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining('name="password"')]);
    });
  },
);
