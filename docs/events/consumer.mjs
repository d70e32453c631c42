// Prints every payment event once, in order per payment: KAFKA_BROKERS=localhost:9092 node docs/events/consumer.mjs
import kafkajs from 'kafkajs';

const { KAFKA_BROKERS = 'localhost:9092', KAFKA_TOPIC_PREFIX = '', KAFKA_GROUP = 'analysts' } = process.env;
const consumer = new kafkajs.Kafka({ brokers: KAFKA_BROKERS.split(',') }).consumer({ groupId: KAFKA_GROUP });
const newest = new Map();

await consumer.connect();
await consumer.subscribe({ topic: `${KAFKA_TOPIC_PREFIX}payments.events.v1`, fromBeginning: true });
await consumer.run({
  eachMessage: async ({ message }) => {
    const event = JSON.parse(message.value);
    if (event.revision <= (newest.get(event.paymentId) ?? -1)) return;
    newest.set(event.paymentId, event.revision);
    console.log(JSON.stringify(event));
  },
});
