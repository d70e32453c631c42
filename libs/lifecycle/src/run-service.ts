import { LIMITS, readServiceSettings, type ServiceSettings } from '@settle/config';
import type { ServiceName } from '@settle/contracts';
import type { KafkaBus } from '@settle/messaging';
import { Metrics, createLogger, startTracing, type Logger } from '@settle/observability';
import { Health, type Checks, type Lags } from './health.js';
import { serveHealth } from './health-server.js';
import { runUntilStopped } from './process-life.js';

/** Parts with which a service is started. */
export interface ServiceParts {
  readonly settings: ServiceSettings;
  readonly logger: Logger;
  readonly bus: KafkaBus;
  readonly metrics: Metrics;
  /** Ends the process with exit code 1 and the error's message, after completing what is in progress. */
  readonly onFatal: (error: Error) => void;
}

export interface StartedService {
  /** Dependencies beside the bus. */
  readonly checks: Checks;
  /** Checks that may fail while the service responds. */
  readonly lags?: Lags;
  /** Accepts no more HTTP requests and completes those in progress. */
  drain?(): Promise<void>;
  /** Releases resources. No more work arrives. */
  close(): Promise<void>;
}

/**
 * Runs a process with one service, from its settings to its end. On a signal: not ready; no more HTTP; the bus delivers
 * nothing more and work in progress is completed; then the stores are closed.
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

    // Loaded here: the embedded shape, which does not need it, begins to start PostgreSQL sooner.
    const { KafkaBus, createKafkaTopics, toKafkaAddress } = await import('@settle/messaging');
    const { topicPrefix, replicationFactor, sessionTimeoutMs } = kafka;
    const cluster = { address: toKafkaAddress(kafka), logger, principal: name, topicPrefix };
    await createKafkaTopics({ ...cluster, replicationFactor });
    const onFatal = (error: Error) => running.fail(error);
    const bus = await KafkaBus.connect({
      ...cluster,
      sessionTimeoutMs,
      clientId: instanceId,
      metrics,
      closeWaitMs: LIMITS.drain.busWaitMs,
      onFatal,
    });
    running.add('the bus', () => bus.close());

    const service = await start({ settings, logger, bus, metrics, onFatal });
    running.add(name, () => service.close());
    // Before the service: work in progress still needs its stores.
    running.add('requests on the bus', () => bus.close());
    running.add('HTTP', async () => service.drain?.());
    running.add('readiness', async () => health.drain());

    await bus.ready();
    health.started({ kafka: () => bus.isReady(), ...service.checks }, service.lags);
    logger.info({ healthPort: healthServer.port }, 'ready');
  });
}
