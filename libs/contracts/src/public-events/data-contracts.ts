import type { EventField } from './public-event-fields.js';
import { PUBLIC_TOPICS, type PublicTopic } from './public-topics.js';
import { topicFields, type TopicField } from './topic-fields.js';

/** `npm run events -- check` fails if the newest watermark is older. */
export const LATEST_WATERMARK_SECONDS = 10;

/** The Open Data Contract (version 3.0.2 of the standard) of each public topic, by the name of the topic. */
export function dataContracts(): ReadonlyMap<string, object> {
  return new Map(PUBLIC_TOPICS.map((publicTopic) => [publicTopic.topic.name, dataContractOf(publicTopic)]));
}

function dataContractOf(publicTopic: PublicTopic): object {
  const { topic, summary, recordName, keyMeaning } = publicTopic;
  const element = `${recordName}.${timeFieldOf(publicTopic)}`;
  return {
    apiVersion: 'v3.0.2',
    kind: 'DataContract',
    id: `urn:settle:topic:${topic.name}`,
    name: topic.name,
    version: '1.0.0',
    status: 'active',
    domain: 'payments',
    dataProduct: 'settle',
    description: {
      purpose: summary,
      usage: `At least once, in order per key. The key of a record: ${keyMeaning}`,
      limitations: 'Ids, cents and times only: no names, notes and addresses. The sandbox is not published.',
    },
    servers: [
      {
        server: 'kafka',
        type: 'kafka',
        host: 'localhost:9092',
        format: 'json',
        description: 'The brokers of npm run stack',
      },
    ],
    schema: [
      {
        name: recordName,
        physicalName: topic.name,
        physicalType: 'topic',
        logicalType: 'object',
        description: summary,
        authoritativeDefinitions: [{ type: 'businessDefinition', url: `${topic.name}.md` }],
        properties: topicFields(publicTopic).map(propertyOf),
        quality: qualityOf(publicTopic),
      },
    ],
    slaDefaultElement: element,
    slaProperties: [
      { property: 'latency', value: LATEST_WATERMARK_SECONDS, unit: 's', element },
      {
        property: 'retention',
        value: topic.keptMs === null ? 'unlimited' : topic.keptMs / MS_PER_HOUR,
        unit: 'h',
        element,
      },
    ],
  };
}

const MS_PER_HOUR = 3_600_000;

function timeFieldOf({ types: [first] }: PublicTopic): string {
  return first?.fields['occurredAt'] === undefined ? 'time' : 'occurredAt';
}

function propertyOf({ name, field, isInAll, isNullable }: TopicField): object {
  const values = field.anyOf?.[0].enum;
  return {
    name,
    logicalType: logicalTypeOf(field),
    physicalType: field.items === undefined ? (field.type === 'integer' ? 'integer' : 'string') : 'array',
    description: values === undefined ? field.description : `${field.description} Known values: ${values.join(', ')}.`,
    required: isInAll && !isNullable,
    ...(name === 'eventId' ? { unique: true } : {}),
    classification: field.privacy ?? 'fact',
    ...(field.items === undefined ? { examples: field.examples.filter((example) => example !== null) } : {}),
    ...(field.items === undefined ? {} : { items: itemsOf(field.items) }),
  };
}

function itemsOf(items: NonNullable<EventField['items']>): object {
  const properties = Object.entries(items).map(([name, field]) => ({
    name,
    logicalType: logicalTypeOf(field),
    physicalType: field.type,
    description: field.description,
    required: true,
  }));
  return { logicalType: 'object', properties };
}

function logicalTypeOf({ type, format, items }: EventField): string {
  if (items !== undefined) return 'array';
  if (type === 'integer') return 'integer';
  return format === 'date-time' ? 'date' : 'string';
}

/** The checks that the command runs. */
function qualityOf({ topic, recordName }: PublicTopic): readonly object[] {
  const check = (name: string, dimension: string, description: string) => ({
    name,
    description,
    dimension,
    type: 'custom',
    engine: 'settle',
    implementation: `npm run events -- check --topic ${topic.name}`,
  });
  const freshness = check(
    'freshness',
    'timeliness',
    `The newest watermark is at most ${LATEST_WATERMARK_SECONDS} s old, and names every partition of the topic.`,
  );
  if (recordName === 'LedgerWatermark') return [freshness];
  return [
    freshness,
    check(
      'completeness',
      'completeness',
      'Up to the position of the publisher the topic has the record of every event of the log.',
    ),
    check('conformity', 'conformity', 'Every record has the content that its event has, and comes from an event.'),
    ...(recordName === 'LedgerEntry'
      ? [
          check(
            'balance',
            'consistency',
            'The sum of all accounts is zero, and each wallet has the balance of the ledger.',
          ),
        ]
      : []),
  ];
}
