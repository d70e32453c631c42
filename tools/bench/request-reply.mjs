import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { createKafkaTopics } from '@settle/messaging';
import { createLogger } from '@settle/observability';
import kafkajs from 'kafkajs';
import { processCpuSeconds } from './cpu.mjs';
import { inRounds, measurer, middle, middleOf } from './rounds.mjs';

export const PATTERN = 'bench';
export const TOPIC_PREFIX = 'bench.';
export const TOPIC_OF_NEST = 'nest';
/** As many as ours have. */
const PARTITIONS = 12;
const IN_FLIGHT = [1, 16, 64];
const WAITS_MS = [0, 5];
const TRANSPORTS = ['ours', 'nest'];

const PROCESS = fileURLToPath(new URL('request-reply-process.mjs', import.meta.url));

async function createTopics(brokers) {
  const logger = createLogger({ level: 'error', service: 'bench' });
  await createKafkaTopics({ address: { brokers }, logger, topicPrefix: TOPIC_PREFIX });
  const admin = new kafkajs.Kafka({ brokers, logLevel: kafkajs.logLevel.NOTHING }).admin();
  await admin.connect();
  const topics = [TOPIC_OF_NEST, `${TOPIC_OF_NEST}.reply`].map((topic) => ({ topic, numPartitions: PARTITIONS }));
  await admin.createTopics({ topics });
  await admin.disconnect();
}

async function startEnd(transport, role, brokers) {
  const env = { ...process.env, KAFKA_BROKERS: brokers.join(','), KAFKAJS_NO_PARTITIONER_WARNING: '1' };
  const child = fork(PROCESS, [transport, role], { env, stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  const ended = once(child, 'exit').then(([code]) => Promise.reject(new Error(`${transport} ${role} ended (${code})`)));
  ended.catch(() => undefined);
  const answered = () => Promise.race([once(child, 'message').then(([message]) => message), ended]);
  await answered();
  return {
    pid: child.pid,
    ask(job) {
      child.send(job);
      return answered();
    },
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.disconnect();
      await once(child, 'exit');
    },
  };
}

/**
 * Requests and replies over this broker without anything else: our transport and the one that Nest brings, in rounds
 * that alternate, server and client each a process of its own.
 */
export async function measureRequestReply({ brokers, brokerPid, plan, stops }) {
  await createTopics(brokers);
  const sides = {};
  for (const transport of TRANSPORTS) {
    const server = await startEnd(transport, 'server', brokers);
    stops.push(() => server.stop());
    const client = await startEnd(transport, 'client', brokers);
    stops.push(() => client.stop());
    const readCpu = () => ({
      client: processCpuSeconds(client.pid),
      server: processCpuSeconds(server.pid),
      broker: processCpuSeconds(brokerPid),
    });
    sides[transport] = { server, client, measure: measurer((job) => client.ask(job), readCpu) };
  }
  for (const transport of TRANSPORTS) {
    await sides[transport].client.ask({ inFlight: 64, waitMs: 0, seconds: plan.warmUpSeconds / TRANSPORTS.length });
  }
  const cells = WAITS_MS.flatMap((waitMs) => IN_FLIGHT.map((inFlight) => ({ waitMs, inFlight, ours: [], nest: [] })));
  await inRounds(plan.rounds, async () => {
    for (const { waitMs, inFlight, ...rounds } of cells) {
      for (const transport of TRANSPORTS) {
        rounds[transport].push(await sides[transport].measure({ waitMs, inFlight, seconds: plan.requestReplySeconds }));
      }
    }
  });
  for (const { server, client } of Object.values(sides)) {
    await client.stop();
    await server.stop();
  }
  return cells.map(({ waitMs, inFlight, ours, nest }) => ({
    waitMs,
    inFlight,
    ours: middleOf(ours),
    nest: middleOf(nest),
    ratio: middle(ours.map(({ perSecond }, at) => perSecond / nest[at].perSecond)),
  }));
}
