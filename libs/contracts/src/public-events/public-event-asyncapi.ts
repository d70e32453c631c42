import { publicEventBody } from './public-event-schemas.js';
import type { PublicEventType } from './public-event-table.js';
import { PUBLIC_TOPICS, type PublicTopic } from './public-topics.js';

const ref = (pointer: string) => ({ $ref: `#/${pointer}` });
const messageNames = ({ types }: PublicTopic) => types.map(({ type, version }) => `${type}V${version}`);

/** How clients sign in, as `KAFKA_SASL_MECHANISM` names it, or by a certificate. */
const SECURITY_SCHEMES = {
  scramSha512: { type: 'scramSha512', description: 'SASL SCRAM-SHA-512.' },
  scramSha256: { type: 'scramSha256', description: 'SASL SCRAM-SHA-256.' },
  plain: { type: 'plain', description: 'SASL PLAIN, which sends the password itself: over TLS only.' },
  oauthBearer: {
    type: 'oauth2',
    description: 'SASL OAUTHBEARER, with a token of the client-credentials grant or from a file.',
    flows: { clientCredentials: { tokenUrl: 'https://login.example.com/oauth2/token', availableScopes: {} } },
  },
  certificate: { type: 'X509', description: 'A client certificate.' },
} as const;

const SERVERS = {
  brokers: {
    host: 'kafka.example.com:9093',
    protocol: 'kafka-secure',
    description:
      'Brokers of your own: what `KAFKA_BROKERS` says, over TLS (`SASL_SSL`, or `SSL` with a client certificate).',
    security: Object.keys(SECURITY_SCHEMES).map((name) => ref(`components/securitySchemes/${name}`)),
  },
  stack: {
    host: 'localhost:9092',
    protocol: 'kafka',
    description: 'The broker of `npm run stack`, on this machine only, without sign-in.',
  },
};

/** AsyncAPI 3.0 of what the payments service publishes, as an object to be printed. */
export function publicEventsAsyncApi(): object {
  return {
    asyncapi: '3.0.0',
    info: {
      title: 'Public events of Settle',
      version: '1.2.0',
      description:
        'What became of every payment, every movement of money, the lifecycle of users, and watermarks. At least once, in ' +
        'order per key; drop an eventId that you have seen.',
      license: { name: 'Apache-2.0', url: 'https://www.apache.org/licenses/LICENSE-2.0' },
    },
    defaultContentType: 'application/json',
    servers: SERVERS,
    channels: Object.fromEntries(PUBLIC_TOPICS.map((each) => [each.channel, channelOf(each)])),
    operations: Object.fromEntries(PUBLIC_TOPICS.map((each) => [each.operation, operationOf(each)])),
    components: {
      securitySchemes: SECURITY_SCHEMES,
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
        topicConfiguration: {
          'cleanup.policy': [topic.isCompacted ? 'compact' : 'delete'],
          'retention.ms': topic.keptMs ?? -1,
        },
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

function messageOf(
  { pattern: ownPattern, keyMeaning, topic, headers: own }: PublicTopic,
  eventType: PublicEventType,
): object {
  const { type, version, meaning, example } = eventType;
  const headers = Object.entries(own);
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
          const pattern = header.pattern === undefined ? {} : { pattern: header.pattern };
          return [name, { type: 'string', ...pattern, description, examples: [ownExamples[name] ?? common] }];
        }),
      ),
      required: headers.filter(([, header]) => header.isOptional === undefined).map(([name]) => name),
    },
    payload: publicEventBody(eventType),
    bindings: { kafka: { key: { type: 'string', description: keyMeaning }, bindingVersion: '0.5.0' } },
    examples: [{ name: type, payload: example }],
  };
}
