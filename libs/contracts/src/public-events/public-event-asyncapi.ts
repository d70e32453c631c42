import { KAFKA_TOPICS } from '../kafka-topics.js';
import { PUBLIC_EVENT_HEADERS } from './public-event-headers.js';
import { publicEventBody } from './public-event-schemas.js';
import { PUBLIC_EVENT_TYPES, type PublicEventType } from './public-event-table.js';

const { name: TOPIC, partitions, keptMs } = KAFKA_TOPICS.paymentsEvents;

/** AsyncAPI 3.0 of what the payments service publishes, as an object to be printed. */
export function publicEventsAsyncApi(): object {
  const messages = PUBLIC_EVENT_TYPES.map((eventType) => [messageName(eventType), messageOf(eventType)] as const);
  const ref = (pointer: string) => ({ $ref: `#/${pointer}` });
  return {
    asyncapi: '3.0.0',
    info: {
      title: 'Payment events of Settle',
      version: '1.0.0',
      description:
        'What became of every payment. At least once, in order per payment; drop an eventId that you have seen.',
      license: { name: 'Apache-2.0', url: 'https://www.apache.org/licenses/LICENSE-2.0' },
    },
    defaultContentType: 'application/json',
    channels: {
      paymentEvents: {
        address: TOPIC,
        description: 'The key of a record is the id of its payment.',
        messages: Object.fromEntries(messages.map(([name]) => [name, ref(`components/messages/${name}`)])),
        bindings: {
          kafka: {
            topic: TOPIC,
            partitions,
            topicConfiguration: { 'cleanup.policy': ['delete'], 'retention.ms': keptMs ?? -1 },
            bindingVersion: '0.5.0',
          },
        },
      },
    },
    operations: {
      publishPaymentEvents: {
        action: 'send',
        summary: 'The payments service tells what became of payments.',
        channel: ref('channels/paymentEvents'),
        messages: messages.map(([name]) => ref(`channels/paymentEvents/messages/${name}`)),
      },
    },
    components: { messages: Object.fromEntries(messages) },
  };
}

function messageName({ type, version }: PublicEventType): string {
  return `${type}V${version}`;
}

function messageOf(eventType: PublicEventType): object {
  const { type, meaning, example } = eventType;
  const headers = Object.entries(PUBLIC_EVENT_HEADERS);
  return {
    name: type,
    title: type,
    summary: meaning,
    contentType: 'application/json',
    headers: {
      type: 'object',
      properties: Object.fromEntries(
        headers.map(([name, { meaning: description, example, ...header }]) => {
          const pattern = 'pattern' in header ? { pattern: header.pattern } : {};
          return [name, { type: 'string', ...pattern, description, examples: [example] }];
        }),
      ),
      required: headers.filter(([, header]) => !('isOptional' in header)).map(([name]) => name),
    },
    payload: publicEventBody(eventType),
    bindings: {
      kafka: { key: { type: 'string', description: 'The id of the payment.' }, bindingVersion: '0.5.0' },
    },
    examples: [{ name: type, payload: example }],
  };
}
