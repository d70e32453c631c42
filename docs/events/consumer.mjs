// Prints every payment event once, in order per payment: KAFKA_BROKERS=localhost:9092 node docs/events/consumer.mjs
import kafkajs from 'kafkajs';

const { KAFKA_BROKERS = 'localhost:9092', KAFKA_TOPIC_PREFIX = '', KAFKA_GROUP = 'analysts' } = process.env;
const { KAFKA_USERNAME: username, KAFKA_PASSWORD: password, KAFKA_SASL_MECHANISM = 'SCRAM-SHA-512' } = process.env;
const kafka = new kafkajs.Kafka({
  brokers: KAFKA_BROKERS.split(','),
  ssl: process.env.KAFKA_SSL === 'true',
  sasl: username && { mechanism: KAFKA_SASL_MECHANISM.toLowerCase(), username, password },
  // Warnings and errors go to standard error; below them kafkajs would log among the events.
  logLevel: kafkajs.logLevel.WARN,
});
const consumer = kafka.consumer({ groupId: KAFKA_GROUP });
const newest = new Map();
let epoch = 1;

await consumer.connect();
await consumer.subscribe({ topic: `${KAFKA_TOPIC_PREFIX}payments.events.v1`, fromBeginning: true });
await consumer.run({
  eachMessage: async ({ message }) => {
    const ofRecord = Number(message.headers?.epoch ?? 1);
    if (ofRecord < epoch) return;
    if (ofRecord > epoch) {
      // The ledger was restored: what was printed so far is void, and all that is true comes from here on.
      epoch = ofRecord;
      newest.clear();
      console.log(JSON.stringify({ epoch }));
    }
    const event = JSON.parse(message.value);
    if (event.revision <= (newest.get(event.paymentId) ?? -1)) return;
    newest.set(event.paymentId, event.revision);
    console.log(JSON.stringify(event));
  },
});
