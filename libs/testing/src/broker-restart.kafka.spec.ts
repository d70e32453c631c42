import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TOPICS } from '@settle/contracts';
import { startKafka, type RunningKafka } from '@settle/local-kafka';
import { EACH_INSTANCE, KafkaBus, createKafkaTopics } from '@settle/messaging';
import { createLogger } from '@settle/observability';
import { eventually } from './index.js';

const logger = createLogger({ level: 'silent', service: 'spec' });
const topic = TOPICS.paymentsCommands;
const requestOf = (n: number, timeoutMs = 50_000) => {
  return { topic, pattern: 'spec.ask', key: `k${n % 7}`, payload: { n }, requestId: 'r', timeoutMs };
};

describe('a broker that restarts', () => {
  let folder: string;
  let kafka: RunningKafka;
  let bus: KafkaBus;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'settle-broker-'));
    kafka = await startKafka({ dataDir: folder, port: null });
    const address = { brokers: kafka.brokers };
    await createKafkaTopics({ address, logger, partitionsAtMost: 4 });
    bus = await KafkaBus.connect({ address, logger, clientId: 'spec', sessionTimeoutMs: 2_000 });
    bus.handle(topic, 'spec.ask', async (payload) => payload);
    await bus.ready();
  });
  afterAll(async () => {
    await bus.close();
    await kafka.stop();
    await rm(folder, { recursive: true, force: true });
  });

  const again = async () => {
    const port = Number(kafka.brokers[0]?.split(':')[1]);
    kafka = await startKafka({ dataDir: folder, port });
  };

  it.each([
    ['stopped', () => kafka.stop()],
    ['killed', () => kafka.kill()],
  ])(
    'given a broker that is %s, when it is back, then every request sent meanwhile gets a response',
    async (_how, end) => {
      await bus.request(requestOf(0));
      await end();
      const responses = Array.from({ length: 50 }, (_, n) => bus.request(requestOf(n)));
      await again();
      const startedAt = performance.now();
      expect(await Promise.all(responses)).toEqual(responses.map((_, n) => ({ n })));
      // Well before the 50 s at which a request without a response is given up.
      expect(performance.now() - startedAt).toBeLessThan(20_000);
      await eventually(() => expect(bus.isReady()).toBe(true));
    },
  );

  it('given an instance that reads a whole topic, when the broker is killed and restarts, then it misses no event', async () => {
    const told: unknown[] = [];
    const tell = (n: number) => bus.publish({ topic: followed, pattern: 'spec.told', key: '', payload: { n } });
    const followed = TOPICS.authRevocations;
    await tell(0);
    bus.consume(followed, 'spec.told', EACH_INSTANCE, async (events) => {
      told.push(...events.map(({ payload }) => payload));
    });
    await bus.ready();
    await tell(1);
    await eventually(() => expect(told).toEqual([{ n: 1 }]));
    await kafka.kill();
    const meanwhile = tell(2);
    await again();
    await meanwhile;
    await tell(3);
    await eventually(() => expect(told.filter((_, n) => n > 0)).toEqual([{ n: 2 }, { n: 3 }]));
  });

  it('given no broker, when the timeout passes, then a request that was never sent says so and an event is not lost', async () => {
    await kafka.stop();
    const first = bus.publish({ topic: TOPICS.usersState, pattern: 'spec.told', key: 'k', payload: { n: 1 } });
    const second = bus.request(requestOf(1, 300));
    await expect(second).rejects.toMatchObject({ code: expect.stringMatching(/service_unavailable|outcome_unknown/) });
    const third = bus.request(requestOf(2, 300));
    await expect(third).rejects.toMatchObject({ code: 'service_unavailable' });
    await again();
    await expect(first).resolves.toBeUndefined();
    await expect(bus.request(requestOf(3))).resolves.toEqual({ n: 3 });
  });
});
