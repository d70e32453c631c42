import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { TOPICS } from '@settle/contracts';
import { freePort, startKafka, type RunningKafka } from '@settle/local-kafka';
import { KafkaBus, createKafkaTopics } from '@settle/messaging';
import { createLogger } from '@settle/observability';
import kafkajs, { type Admin } from 'kafkajs';
import { eventually } from './index.js';

const PARTITIONS = 4;
const logger = createLogger({ level: 'silent', service: 'spec' });
const commandTopic = TOPICS.paymentsCommands;
const published = TOPICS.paymentsEvents;
const requestOf = (n: number) => {
  return {
    topic: commandTopic,
    pattern: 'spec.ask',
    key: `k${n % 7}`,
    payload: { n },
    requestId: 'r',
    timeoutMs: 20_000,
  };
};
const event = { topic: published, pattern: 'spec.told', key: 'k', payload: { n: 1 } };

/** Two brokers; the second holds the topic of public events alone. */
describe('a topic whose only broker is unavailable', () => {
  let folders: string[];
  let first: RunningKafka;
  let second: RunningKafka;
  let startSecond: () => Promise<RunningKafka>;
  let admin: Admin;
  let bus: KafkaBus;

  beforeAll(async () => {
    folders = await Promise.all(['one', 'two'].map((name) => mkdtemp(join(tmpdir(), `settle-broker-${name}-`))));
    const [controllerPort, port] = [await freePort(), await freePort()];
    first = await startKafka({ dataDir: folders[0] ?? '', port: null, controllerPort });
    const address = { brokers: first.brokers };
    await createKafkaTopics({ address, logger, partitionsAtMost: PARTITIONS });
    bus = await KafkaBus.connect({ address, logger, clientId: 'spec', sessionTimeoutMs: 2_000 });
    bus.handle(commandTopic, 'spec.ask', async (payload) => payload);
    await bus.ready();
    const settings = {
      'process.roles': 'broker',
      'node.id': '2',
      'controller.quorum.voters': `1@127.0.0.1:${controllerPort}`,
      listeners: `PLAINTEXT://127.0.0.1:${port}`,
    };
    startSecond = () => startKafka({ dataDir: folders[1] ?? '', port, settings });
    second = await startSecond();
    admin = new kafkajs.Kafka({ brokers: first.brokers, logLevel: kafkajs.logLevel.NOTHING }).admin();
    await admin.connect();
    await admin.deleteTopics({ topics: [published] });
    const replicaAssignment = Array.from({ length: PARTITIONS }, (_, partition) => ({ partition, replicas: [2] }));
    await eventually(async () => admin.createTopics({ topics: [{ topic: published, replicaAssignment }] }));
  });
  afterAll(async () => {
    await admin.disconnect();
    await bus.close();
    await second.stop();
    await first.stop();
    await Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true })));
  });

  it('given a public event that no broker accepts, when requests are sent, then each gets a response and the event times out', async () => {
    await eventually(() => bus.publish(event));
    await second.kill();
    let isGivenUp = false;
    const givenUp = bus.publish(event).catch((error: unknown) => {
      isGivenUp = true;
      return error;
    });
    for (let n = 0; !isGivenUp; n += 1) {
      await expect(bus.request(requestOf(n))).resolves.toEqual({ n });
      await pause(100);
    }
    expect(await givenUp).toMatchObject({ code: 'outcome_unknown' });
  });

  it('given a service that starts meanwhile, when the broker is back, then its topics are there and it publishes', async () => {
    const address = { brokers: first.brokers };
    const creating = createKafkaTopics({ address, logger, partitionsAtMost: PARTITIONS });
    const isRefused = creating.then(
      () => false,
      () => true,
    );
    // The service requests metadata more than once before the leader is back.
    const early = await Promise.race([isRefused, pause(1_000, 'waits')]);
    expect(early).toBe('waits');
    second = await startSecond();
    await creating;
    await eventually(() => bus.publish(event));
  });
});
