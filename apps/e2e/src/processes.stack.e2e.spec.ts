import { createHash } from 'node:crypto';
import { eventually } from '@settle/testing';
import pg from 'pg';
import { call } from './client.js';
import { type TestUser, loadDemoUser } from './users.js';
import { databaseUrl, gatewayUrls, stackProcess, stackStatus } from './running-stack.fixture.js';
import { loadToken } from './sign-in.js';

/** The time for which a gateway may use cached grants without a heartbeat of the revocation topic. */
const TRUSTED_FOR_MS = 800;
const CLIENTS = 4;

describe('the health of each process', () => {
  const checks = {
    provider: { postgres: true },
    gateway: { kafka: true },
    payments: { kafka: true, postgres: true, people: true },
    users: { kafka: true, postgres: true },
    auth: { kafka: true, postgres: true },
  } as const;

  it('given a stack that is ready, when the health of each process is requested on its own port, then it is live and ready', async () => {
    const { instances } = await stackStatus();
    const names = instances.map(({ name }) => name);
    expect(names).toEqual([
      'provider',
      'gateway-1',
      'gateway-2',
      'payments-1',
      'payments-2',
      'payments-3',
      'users-1',
      'auth-1',
      'auth-2',
    ]);
    expect(new Set(instances.map(({ healthPort }) => healthPort)).size).toBe(names.length);
    for (const { name, healthPort } of instances) {
      const [live, ready] = await Promise.all(
        ['live', 'ready'].map(async (what) => {
          const response = await fetch(`http://127.0.0.1:${healthPort}/health/${what}`);
          return { status: response.status, body: await response.json() };
        }),
      );
      expect([name, live]).toEqual([name, { status: 200, body: { status: 'live' } }]);
      const own = checks[name.split('-')[0] as keyof typeof checks];
      expect([name, ready]).toMatchObject([name, { status: 200, body: { status: 'ready', checks: own } }]);
    }
  });
});

describe('a token that is revoked', () => {
  // Shows authorize-34, error-28
  it('given gateways that have seen it, when it is revoked, then every gateway rejects it within a second', async () => {
    const token = await loadToken('bob', ['access_profile', 'access_friends']);
    const gateways = await gatewayUrls();
    const responses = () => Promise.all(gateways.map((gateway) => call(`${gateway}/me`, { token })));
    expect((await responses()).map(({ status }) => status)).toEqual([200, 200]);

    const client = new pg.Client(await databaseUrl('auth'));
    await client.connect();
    const sha256 = createHash('sha256').update(token).digest();
    const revoked = await client.query('update tokens set revoked_at = now() where sha256 = $1', [sha256]);
    const revokedAtMs = performance.now();
    await client.end();
    expect(revoked.rowCount).toBe(1);

    let acceptedAfterMs = 0;
    const refusals = await eventually(async () => {
      const sentAfterMs = performance.now() - revokedAtMs;
      const found = await responses();
      if (found.some(({ status }) => status === 200)) acceptedAfterMs = sentAfterMs;
      expect(found.map(({ status }) => status)).toEqual([401, 401]);
      return found;
    });
    expect(acceptedAfterMs).toBeLessThan(TRUSTED_FOR_MS);
    expect(refusals.map(({ body }) => body.error.code)).toEqual(['revoked_token', 'revoked_token']);
  });
});

describe('a process that gets SIGTERM while payments arrive', () => {
  let users: TestUser[];

  beforeAll(async () => {
    users = await Promise.all([loadDemoUser('alice'), loadDemoUser('bob'), loadDemoUser('carol')]);
    const [alice, bob, carol] = users as [TestUser, TestUser, TestUser];
    for (const { id } of [bob, carol]) await alice.send({ user_id: id }, '5.00');
  });

  it.each(['payments-1', 'payments-3', 'gateway-1'])(
    'given %s, when it gets SIGTERM, then it is restarted and no request fails',
    async (name) => {
      const { pid, restarts } = await stackProcess(name);
      let isOver = false;
      const wrong: string[] = [];
      let settled = 0;
      const client = async (number: number) => {
        for (let sent = number; !isOver; sent += 1) {
          const [payer, payee] = [users[sent % 3] as TestUser, users[(sent + 1) % 3] as TestUser];
          const { status, body, text } = await payer.send({ user_id: payee.id }, '0.01');
          if (status === 200 && body.data.payment.status === 'settled') settled += 1;
          else wrong.push(`${status} ${text}`);
        }
      };
      const clients = Promise.all(Array.from({ length: CLIENTS }, (_, number) => client(number)));
      await eventually(() => expect(settled).toBeGreaterThan(CLIENTS));
      process.kill(pid ?? 0, 'SIGTERM');
      // Between two requests of this process it may be over that the other one is not ready; the count of restarts stays.
      await eventually(async () => {
        expect(await stackProcess(name)).toMatchObject({ restarts: restarts + 1, isReady: true });
      });
      isOver = true;
      await clients;
      expect(wrong).toEqual([]);
    },
  );
});
