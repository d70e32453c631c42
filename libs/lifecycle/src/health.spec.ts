import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { LIMITS } from '@settle/config';
import { Metrics } from '@settle/observability';
import { Health, type Checks } from './health.js';
import { serveHealth, type HealthServer } from './health-server.js';

const LOOPBACK = { host: '127.0.0.1', port: 0 };

function clock() {
  const time = { ms: 0 };
  return { time, health: new Health(() => time.ms) };
}

describe('Health', () => {
  it('given a start, when it goes on, then it is ready only from its end on, and never again once it drains', async () => {
    const { health } = clock();
    expect(await health.readiness()).toEqual({ status: 'starting', checks: {} });
    health.started({ kafka: () => true });
    expect(await health.readiness()).toEqual({ status: 'ready', checks: { kafka: true } });
    health.drain();
    expect(await health.readiness()).toEqual({ status: 'draining', checks: {} });
  });

  it.each<[string, Checks['any']]>([
    ['says no', () => false],
    ['throws', () => Promise.reject(new Error('away'))],
    ['throws at once', () => JSON.parse('') as boolean],
    ['never answers', () => new Promise(() => undefined)],
  ])('given a check that %s, when asked, then it is named and the process is not ready', async (_what, check) => {
    const { health } = clock();
    health.started({ kafka: () => true, postgres: check });
    expect(await health.readiness()).toEqual({ status: 'unready', checks: { kafka: true, postgres: false } });
  });

  it('given answers, when asked again and again, then the checks run once in a while', async () => {
    const { health, time } = clock();
    let runs = 0;
    health.started({ postgres: () => ++runs > 1 });
    const statuses = [];
    for (const ms of [0, 1, LIMITS.health.checksKeptMs - 1, LIMITS.health.checksKeptMs]) {
      time.ms = ms;
      statuses.push((await health.readiness()).status);
    }
    expect(statuses).toEqual(['unready', 'unready', 'unready', 'ready']);
    expect(runs).toBe(2);
  });

  it('given something that is behind, when asked, then the answer says how far, and the process is ready', async () => {
    const { health } = clock();
    health.started({ postgres: () => true }, { readModels: () => 2_500 });
    expect(await health.readiness()).toEqual({
      status: 'ready',
      checks: { postgres: true },
      behindSeconds: { readModels: 2.5 },
    });
  });

  it('given that it drains for longer than it may, when asked, then it is stuck', () => {
    const { health, time } = clock();
    health.drain();
    expect(health.isAlive()).toBe(true);
    time.ms = LIMITS.launcher.stopWaitMs;
    expect(health.isAlive()).toBe(false);
  });
});

describe('the health server', () => {
  let server: HealthServer;
  const health = new Health();
  const metrics = new Metrics();
  beforeAll(async () => {
    server = await serveHealth({ health, metrics }, LOOPBACK);
  });
  afterAll(() => server.close());

  const get = async (path: string, init: RequestInit = {}) => {
    const answer = await fetch(`http://127.0.0.1:${server.port}${path}`, init);
    return [answer.status, await answer.json()] as const;
  };

  it('given a process that starts, runs and drains, when asked over HTTP, then status and body say so', async () => {
    expect(await get('/health/live')).toEqual([200, { status: 'live' }]);
    expect(await get('/health/ready')).toEqual([503, { status: 'starting', checks: {} }]);
    health.started({ kafka: () => true });
    expect(await get('/health/ready?x=1')).toEqual([200, { status: 'ready', checks: { kafka: true } }]);
    health.drain();
    expect(await get('/health/ready')).toEqual([503, { status: 'draining', checks: {} }]);
  });

  it('given a part that shows a number, when the metrics are asked for, then it is on the page', async () => {
    metrics.register('kafkaRecordsWaiting', () => 3);
    const answer = await fetch(`http://127.0.0.1:${server.port}/metrics`);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([
      200,
      'text/plain; version=0.0.4; charset=utf-8',
    ]);
    expect(await answer.text()).toContain('settle_kafka_records_waiting 3');
  });

  it.each([
    ['/health', {}],
    ['/', {}],
    ['/health/ready', { method: 'POST' }],
  ])('given %s %j, when asked, then there is nothing', async (path, init) => {
    expect((await get(path, init))[0]).toBe(404);
  });

  it('given a port in use, when another would serve there, then one line says which settings to change', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const { port } = taken.address() as AddressInfo;
    await expect(serveHealth({ health, metrics }, { host: '127.0.0.1', port })).rejects.toThrow(
      `Health cannot be answered on 127.0.0.1:${port} (EADDRINUSE): set HEALTH_HOST and HEALTH_PORT`,
    );
    taken.close();
  });
});
