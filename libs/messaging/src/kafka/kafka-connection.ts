import net from 'node:net';
import tls from 'node:tls';
import { LIMITS } from '@settle/config';
import type { Logger } from '@settle/observability';
import kafkajs, { type ISocketFactory, type Kafka, type LogEntry, type RetryOptions } from 'kafkajs';
import type { KafkaAddress } from './kafka-address.js';
import { patchKafkajs } from './kafkajs-patches.js';

const { retryPauseMinMs, retryPauseMaxMs, connectTimeoutMs, requestTimeoutMs } = LIMITS.kafka;

/** Pauses that grow from 50 to 250 ms: a broker that runs again is found at once. */
export const RETRY_PAUSES: RetryOptions = {
  initialRetryTime: retryPauseMinMs,
  maxRetryTime: retryPauseMaxMs,
  multiplier: 1.5,
  factor: 0.2,
};

/** A client never gives up a cluster; callers that wait for a response have their own time limits. */
const UNLIMITED_RETRIES = 1_000_000;

/** Opens sockets as kafkajs does, but without Nagle's delay. */
const socketFactory: ISocketFactory = ({ host, port, ssl, onConnect }) => {
  const socket = ssl
    ? tls.connect({ host, port, ...(net.isIP(host) === 0 ? { servername: host } : {}), ...ssl }, onConnect)
    : net.connect({ host, port }, onConnect);
  return socket.setKeepAlive(true, LIMITS.kafka.keepAliveMs).setNoDelay(true);
};

/** Creates a client of kafkajs with the settings that were measured to recover fast and to lose nothing. */
export function createKafkaClient(
  { brokers, ssl, sasl }: KafkaAddress,
  clientId: string,
  logger: Logger,
  retries: number = UNLIMITED_RETRIES,
): Kafka {
  if (!patchKafkajs()) {
    logger.warn('this version of kafkajs is not patched: it uses more CPU and recovers late from an outage');
  }
  const logEntry = logTo(logger);
  return new kafkajs.Kafka({
    brokers,
    clientId,
    ...(ssl === undefined ? {} : { ssl }),
    ...(sasl === undefined ? {} : { sasl }),
    connectionTimeout: connectTimeoutMs,
    requestTimeout: requestTimeoutMs,
    retry: { ...RETRY_PAUSES, retries },
    socketFactory,
    logLevel: kafkajs.logLevel.WARN,
    logCreator: () => logEntry,
  });
}

interface KafkaLog extends Pick<LogEntry['log'], 'message'> {
  readonly groupId?: string;
  readonly broker?: string;
  /** The response of the broker as the client library names it. */
  readonly error?: string;
}

/** Errors that every instance gets while another one joins or leaves, and from a broker that has just started. */
const IS_USUAL = /rebalancing|rejoin is needed|coordinator is loading|coordinator is not available/i;

/** An outage is logged once in this time, not with every attempt. */
const LOG_AGAIN_AFTER_MS = 10_000;
const TEXTS_AT_MOST = 100;

/** kafkajs logs as an error what it then retries; what it gives up reaches its caller as an error. */
function logTo(logger: Logger): (entry: LogEntry) => void {
  const loggedAtMs = new Map<string, number>();
  return ({ namespace, level, log }) => {
    const { message, groupId, broker, error } = log as KafkaLog;
    const line = { namespace, groupId, broker, reason: error };
    // Without numbers: texts that differ only by an id or a port are one.
    const text = `${namespace} ${message}`.replaceAll(/\d+/g, '').slice(0, 100);
    const nowMs = performance.now();
    const isRepeated = nowMs - (loggedAtMs.get(text) ?? -LOG_AGAIN_AFTER_MS) < LOG_AGAIN_AFTER_MS;
    if (level !== kafkajs.logLevel.ERROR || IS_USUAL.test(error ?? '') || isRepeated) {
      return logger.debug(line, `kafka: ${message}`);
    }
    if (loggedAtMs.size >= TEXTS_AT_MOST) loggedAtMs.clear();
    loggedAtMs.set(text, nowMs);
    logger.warn(line, `kafka: ${message}`);
  };
}
