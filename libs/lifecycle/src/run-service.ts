import { LIMITS, readServiceSettings, type ServiceName, type ServiceSettings } from '@settle/config';
import { KafkaBus, createKafkaTopics, kafkaAddress } from '@settle/messaging';
import { Metrics, createLogger, startTracing, type Logger } from '@settle/observability';
import { Health, type Checks, type Lags } from './health.js';
import { serveHealth } from './health-server.js';
import { runUntilStopped } from './process-life.js';

/** What a service is started with. */
export interface ServiceParts {
  readonly settings: ServiceSettings;
  readonly logger: Logger;
  readonly bus: KafkaBus;
  readonly metrics: Metrics;
  /** Ends the process with exit code 1 and the error's message, after what has begun is answered. */
  readonly onFatal: (error: Error) => void;
}

export interface StartedService {
  /** What it stands on beside the bus. */
  readonly checks: Checks;
  /** What may be behind while it answers. */
  readonly lags?: Lags;
  /** Takes no more of what comes past the bus, HTTP, and finishes what has begun. */
  drain?(): Promise<void>;
  /** Frees what it holds. Nothing comes any more. */
  close(): Promise<void>;
}

/**
 * The life of a process that runs one service, from its settings to its end. On a signal: not ready; no more HTTP; the
 * bus hands over nothing more, what has begun is answered; then the stores.
 */
export function runService(name: ServiceName, start: (parts: ServiceParts) => Promise<StartedService>): Promise<never> {
  return runUntilStopped(async (running) => {
    const settings = readServiceSettings(name, process.env);
    const { kafka, instanceId } = settings;
    const metrics = new Metrics();
    const logger = createLogger({ level: settings.logLevel, service: name, instance: instanceId, metrics });

    const { tracesEndpoint: endpoint } = settings;
    if (endpoint !== null) {
      running.add('traces', await startTracing({ endpoint, service: name, instance: instanceId, logger }));
    }

    const health = new Health();
    const healthServer = await serveHealth({ health, metrics }, settings.health);
    running.add('the health server', () => healthServer.close());

    const address = kafkaAddress(kafka);
    const { topicPrefix, replicationFactor, sessionTimeoutMs } = kafka;
    await createKafkaTopics({ address, logger, principal: name, topicPrefix, replicationFactor });
    const onFatal = (error: Error) => running.fail(error);
    const bus = await KafkaBus.connect({
      address,
      logger,
      principal: name,
      topicPrefix,
      sessionTimeoutMs,
      clientId: instanceId,
      metrics,
      closeWaitMs: LIMITS.drain.busWaitMs,
      onFatal,
    });
    running.add('the bus', () => bus.close());

    const service = await start({ settings, logger, bus, metrics, onFatal });
    running.add(name, () => service.close());
    // Before the service: what it has begun still needs its stores.
    running.add('requests on the bus', () => bus.close());
    running.add('HTTP', async () => service.drain?.());
    running.add('readiness', async () => health.drain());

    await bus.ready();
    health.started({ kafka: () => bus.isReady(), ...service.checks }, service.lags);
    logger.info({ healthPort: healthServer.port }, 'ready');
  });
}
