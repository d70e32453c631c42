import { describeMessageBus } from '../../test/message-bus.contract.fixture.js';
import { kafkaSpace } from '../../test/kafka/kafka.fixture.js';

describeMessageBus('Kafka, two processes', async () => {
  const space = await kafkaSpace();
  const [caller, server] = await Promise.all([space.connect(), space.connect()]);
  const ready = async () => void (await Promise.all([caller.ready(), server.ready()]));
  return { caller, server, ready, close: () => space.close() };
});
