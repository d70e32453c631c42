/** One end of a request and its reply, as a process of its own: `<ours|nest> <server|client>`; jobs come by IPC. */
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { ClientKafka, ServerKafka } from '@nestjs/microservices';
import { TOPICS } from '@settle/contracts';
import { KafkaBus } from '@settle/messaging';
import { createLogger } from '@settle/observability';
import { lastValueFrom } from 'rxjs';
import { PATTERN, TOPIC_OF_NEST, TOPIC_PREFIX } from './request-reply.mjs';

const [transport, role] = process.argv.slice(2);
const brokers = process.env.KAFKA_BROKERS.split(',');
const TIMEOUT_MS = 10_000;
/** As large as a payment's command. */
const FILLER = 'x'.repeat(120);

const answer = async ({ waitMs, number, filler }) => {
  if (waitMs > 0) await pause(waitMs);
  return { number, filler };
};

const ours = {
  connect: () =>
    KafkaBus.connect({
      address: { brokers },
      clientId: `bench-${role}`,
      topicPrefix: TOPIC_PREFIX,
      sessionTimeoutMs: 6_000,
      logger: createLogger({ level: 'error', service: 'bench' }),
    }),
  async server() {
    const bus = await this.connect();
    bus.handle(TOPICS.usersRequests, PATTERN, answer);
    await bus.ready();
  },
  async client() {
    const bus = await this.connect();
    const envelope = { topic: TOPICS.usersRequests, pattern: PATTERN, requestId: 'bench', timeoutMs: TIMEOUT_MS };
    return (key, payload) => bus.request({ ...envelope, key, payload });
  },
};

/** With the short waits that do best for it; its own are made for fewer and slower messages. */
const optionsOfNest = {
  client: { clientId: `bench-${role}`, brokers, retry: { initialRetryTime: 50, maxRetryTime: 250 }, logLevel: 1 },
  consumer: {
    groupId: 'bench-nest',
    maxWaitTimeInMs: 200,
    heartbeatInterval: 500,
    sessionTimeout: 6_000,
    allowAutoTopicCreation: false,
  },
  producer: { allowAutoTopicCreation: false },
};

const nest = {
  async server() {
    const server = new ServerKafka(optionsOfNest);
    server.addHandler(TOPIC_OF_NEST, answer);
    await new Promise((resolve, reject) => server.listen((error) => (error ? reject(error) : resolve())));
  },
  async client() {
    const client = new ClientKafka(optionsOfNest);
    client.subscribeToResponseOf(TOPIC_OF_NEST);
    await client.connect();
    return (key, value) => lastValueFrom(client.send(TOPIC_OF_NEST, { key, value }));
  },
};

async function measure(request, { inFlight, waitMs, seconds }) {
  const timesMs = [];
  const beganAtMs = performance.now();
  const endsAtMs = beganAtMs + seconds * 1_000;
  let number = 0;
  const sendInTurn = async () => {
    while (performance.now() < endsAtMs) {
      const sentAtMs = performance.now();
      number += 1;
      const payload = { number, waitMs, filler: FILLER };
      const reply = await request(`key-${number % 1_000}`, payload);
      if (reply.number !== payload.number) throw new Error('This is the answer to another request');
      timesMs.push(performance.now() - sentAtMs);
    }
  };
  await Promise.all(Array.from({ length: inFlight }, sendInTurn));
  const tookSeconds = (performance.now() - beganAtMs) / 1_000;
  timesMs.sort((a, b) => a - b);
  const percentile = (part) => timesMs[Math.min(timesMs.length - 1, Math.floor(timesMs.length * part))];
  return {
    requests: timesMs.length,
    perSecond: timesMs.length / tookSeconds,
    p50Ms: percentile(0.5),
    p95Ms: percentile(0.95),
    p99Ms: percentile(0.99),
  };
}

const side = { ours, nest }[transport];
if (role === 'server') {
  await side.server();
  process.send({ ready: true });
} else {
  const request = await side.client();
  process.send({ ready: true });
  process.on('message', async (job) => process.send(await measure(request, job)));
}
// Both transports keep the process running; the parent process ends it.
await once(process, 'disconnect');
process.exit(0);
