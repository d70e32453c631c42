import { PUBLIC_EVENT_HEADERS } from './public-event-headers.js';
import { publicEventBody } from './public-event-schemas.js';
import type { PublicEventType } from './public-event-table.js';
import { PUBLIC_TOPICS, type PublicTopic } from './public-topics.js';

const ref = (pointer: string) => ({ $ref: `#/${pointer}` });
const messageNames = ({ types }: PublicTopic) => types.map(({ type, version }) => `${type}V${version}`);

/** AsyncAPI 3.0 of what the payments service publishes, as an object to be printed. */
export function publicEventsAsyncApi(): object {
  return {
    asyncapi: '3.0.0',
    info: {
      title: 'Public events of Settle',
      version: '1.1.0',
      description:
        'What became of every payment, and every movement of money. At least once, in order per key; drop an eventId ' +
        'that you have seen.',
      license: { name: 'Apache-2.0', url: 'https://www.apache.org/licenses/LICENSE-2.0' },
    },
    defaultContentType: 'application/json',
    channels: Object.fromEntries(PUBLIC_TOPICS.map((each) => [each.channel, channelOf(each)])),
    operations: Object.fromEntries(PUBLIC_TOPICS.map((each) => [each.operation, operationOf(each)])),
    components: {
      messages: Object.fromEntries(
        PUBLIC_TOPICS.flatMap((each) => {
          const names = messageNames(each);
          return each.types.map((eventType, index) => [names[index], messageOf(each, eventType)]);
        }),
      ),
    },
  };
}

function channelOf(publicTopic: PublicTopic): object {
  const { topic, keyMeaning } = publicTopic;
  return {
    address: topic.name,
    description: `The key of a record: ${keyMeaning}`,
    messages: Object.fromEntries(messageNames(publicTopic).map((name) => [name, ref(`components/messages/${name}`)])),
    bindings: {
      kafka: {
        topic: topic.name,
        partitions: topic.partitions,
        topicConfiguration: { 'cleanup.policy': ['delete'], 'retention.ms': topic.keptMs ?? -1 },
        bindingVersion: '0.5.0',
      },
    },
  };
}

function operationOf(publicTopic: PublicTopic): object {
  const { channel, summary } = publicTopic;
  return {
    action: 'send',
    summary,
    channel: ref(`channels/${channel}`),
    messages: messageNames(publicTopic).map((name) => ref(`channels/${channel}/messages/${name}`)),
  };
}

function messageOf({ pattern: ownPattern, keyMeaning, topic }: PublicTopic, eventType: PublicEventType): object {
  const { type, version, meaning, example } = eventType;
  const headers = Object.entries(PUBLIC_EVENT_HEADERS);
  const ownExamples: Readonly<Record<string, string>> = {
    ...{ type, pattern: ownPattern, ce_source: `urn:settle:topic:${topic.name}` },
    ...{ ce_type: `settle.${type}.v${version}`, ce_dataschema: `urn:settle:event:${type}:${version}` },
  };
  return {
    name: type,
    title: type,
    summary: meaning,
    contentType: 'application/json',
    headers: {
      type: 'object',
      properties: Object.fromEntries(
        headers.map(([name, { meaning: description, example: common, ...header }]) => {
          const pattern = 'pattern' in header ? { pattern: header.pattern } : {};
          return [name, { type: 'string', ...pattern, description, examples: [ownExamples[name] ?? common] }];
        }),
      ),
      required: headers.filter(([, header]) => !('isOptional' in header)).map(([name]) => name),
    },
    payload: publicEventBody(eventType),
    bindings: { kafka: { key: { type: 'string', description: keyMeaning }, bindingVersion: '0.5.0' } },
    examples: [{ name: type, payload: example }],
  };
}
