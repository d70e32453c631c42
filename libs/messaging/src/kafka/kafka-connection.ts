import net from 'node:net';
import tls from 'node:tls';
import { LIMITS } from '@settle/config';
import type { Logger } from '@settle/observability';
import kafkajs, { type ISocketFactory, type Kafka, type LogEntry, type RetryOptions } from 'kafkajs';
import type { KafkaAddress } from './kafka-address.js';
import { patchKafkajs } from './kafkajs-patches.js';

const { retryPauseMinMs, retryPauseMaxMs, connectTimeoutMs, requestTimeoutMs } = LIMITS.kafka;

/** Pauses that grow from 50 to 250 ms: a broker that is back is found at once. */
export const RETRY_PAUSES: RetryOptions = {
  initialRetryTime: retryPauseMinMs,
  maxRetryTime: retryPauseMaxMs,
  multiplier: 1.5,
  factor: 0.2,
};

/** Never gives up a cluster; who waits for an answer has a time limit of its own. */
const FOR_EVER = 1_000_000;

/** As kafkajs opens sockets, without waiting for more to send. */
const socketFactory: ISocketFactory = ({ host, port, ssl, onConnect }) => {
  const socket = ssl
    ? tls.connect({ host, port, ...(net.isIP(host) === 0 ? { servername: host } : {}), ...ssl }, onConnect)
    : net.connect({ host, port }, onConnect);
  return socket.setKeepAlive(true, LIMITS.kafka.keepAliveMs).setNoDelay(true);
};

/** A client of kafkajs with the settings that were measured to recover fast and to lose nothing. */
export function createKafkaClient(
  { brokers, ssl, sasl }: KafkaAddress,
  clientId: string,
  logger: Logger,
  retries: number = FOR_EVER,
): Kafka {
  if (!patchKafkajs()) {
    logger.warn('this version of kafkajs is not patched: it uses more CPU and recovers late from an outage');
  }
  const passOn = passingOnTo(logger);
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
    logCreator: () => passOn,
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
const TOLD_AGAIN_AFTER_MS = 10_000;
const TEXTS_KNOWN = 100;

/** kafkajs calls "error" what it then tries again; what it gives up reaches us as an error of ours. */
function passingOnTo(logger: Logger): (entry: LogEntry) => void {
  const toldAtMs = new Map<string, number>();
  const isNews = (text: string): boolean => {
    const nowMs = performance.now();
    if (nowMs - (toldAtMs.get(text) ?? -TOLD_AGAIN_AFTER_MS) < TOLD_AGAIN_AFTER_MS) return false;
    if (toldAtMs.size >= TEXTS_KNOWN) toldAtMs.clear();
    toldAtMs.set(text, nowMs);
    return true;
  };
  return ({ namespace, level, log }) => {
    const { message, groupId, broker, error } = log as KafkaLog;
    const line = { namespace, groupId, broker, reason: error };
    const isTrouble = level === kafkajs.logLevel.ERROR && !IS_USUAL.test(error ?? '');
    // Without numbers: what differs by an id or a port only is one text.
    const text = `${namespace} ${message}`.replaceAll(/\d+/g, '').slice(0, 100);
    if (isTrouble && isNews(text)) logger.warn(line, `kafka: ${message}`);
    else logger.debug(line, `kafka: ${message}`);
  };
}
