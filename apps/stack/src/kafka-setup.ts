import { SettingsError, readSettings } from '@settle/config';
import { createKafkaTopics, grantKafkaRights, toKafkaAddress } from '@settle/messaging';
import { createLogger } from '@settle/observability';

/**
 * `node dist/kafka-setup.js`: creates the topics that are missing, gives all of them their settings, and gives each
 * service's principal its rights. `KAFKA_*` settings are those of a principal that may do so. Running it again is harmless.
 */
async function main(): Promise<void> {
  const { kafka, logLevel: level } = readSettings(process.env);
  if (kafka.brokers.length === 0) throw new SettingsError(['KAFKA_BROKERS: it is needed here and not set']);
  const logger = createLogger({ level, service: 'kafka-setup', stream: process.stderr });
  const { topicPrefix, replicationFactor } = kafka;
  const address = toKafkaAddress(kafka);
  await createKafkaTopics({ address, logger, topicPrefix, replicationFactor });
  await grantKafkaRights({ address, logger, topicPrefix });
  process.stdout.write('Topics and the rights of the services are set up\n');
}

try {
  await main();
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
