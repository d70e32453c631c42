import { randomBytes } from 'node:crypto';
import { TOPICS } from '@settle/contracts';
import { KafkaBus, createKafkaTopics } from '@settle/messaging';
import { createLogger } from '@settle/observability';
import { startPostgresForSpecs, stopPostgresOfSpecs } from '@settle/testing';
import { describePaymentEvents } from '../../test/public-events/payment-events.contract.fixture.js';
import { PublishingLab } from '../../test/public-events/publisher.fixture.js';

const logger = createLogger({ level: 'silent', service: 'spec' });

beforeAll(() => startPostgresForSpecs());
afterAll(() => stopPostgresOfSpecs());

describePaymentEvents('distributed', async () => {
  const address = { brokers: (process.env['SETTLE_TEST_KAFKA'] ?? '').split(',') };
  const topicPrefix = `spec-${randomBytes(6).toString('hex')}.`;
  const options = { address, topicPrefix, clientId: 'spec', sessionTimeoutMs: 2_000 };
  await createKafkaTopics({ address, topicPrefix, logger, partitionsAtMost: 4 });
  const bus = await KafkaBus.connect({ ...options, logger });
  const lab = await PublishingLab.open();
  await lab.publisher(bus);
  const openBus = `
    import { KafkaBus } from '@settle/messaging';
    const bus = await KafkaBus.connect({ ...${JSON.stringify(options)}, logger });`;
  return {
    lab,
    openBus,
    isConsumed: (group) => bus.hasConsumed(TOPICS.paymentsEvents, group, 0),
    close: async () => {
      await lab.close();
      await bus.close();
    },
  };
});
