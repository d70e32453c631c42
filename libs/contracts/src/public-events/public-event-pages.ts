import type { FieldSchema } from './public-event-fields.js';
import { PUBLIC_EVENT_HEADERS } from './public-event-headers.js';
import { publicEventName } from './public-event-schemas.js';
import { PUBLIC_EVENT_TYPES, type PublicEventType } from './public-event-table.js';

const MADE_BY = 'by `node tools/generate.mjs`: change the table, not this page.';

export interface Page {
  readonly name: string;
  readonly text: string;
}

/** The pages of `docs/events/`: what is published, for whoever reads it. */
export function publicEventPages(): Page[] {
  return [
    { name: 'README.md', text: indexPage() },
    ...PUBLIC_EVENT_TYPES.map((eventType) => ({
      name: `${publicEventName(eventType)}.md`,
      text: eventPage(eventType),
    })),
  ];
}

function indexPage(): string {
  return [
    '# Payment events',
    '',
    `Made from \`libs/contracts/src/public-events\` ${MADE_BY}`,
    '',
    'In the distributed shape every payment is told on the Kafka topic `payments.events.v1`, for analysts and other',
    'systems: what was made, and how it ended. The value of a record is JSON; its key is the payment. There are ids,',
    'cents, status, reason and times, and never a note, an e-mail address or a phone number. What happens in the sandbox',
    'is not told.',
    '',
    '| Event | When |',
    '| --- | --- |',
    ...PUBLIC_EVENT_TYPES.map((eventType) => {
      const name = publicEventName(eventType);
      return `| [\`${eventType.type}\`](${name}.md), version ${eventType.version} | ${eventType.meaning} |`;
    }),
    '',
    'Every payment has one `PaymentCreated` and at most one of the others, which is its end.',
    'For machines: [JSON Schemas](../../libs/contracts/schemas) and [AsyncAPI](asyncapi.yaml).',
    '',
    ...DELIVERY,
    '## Headers',
    '',
    '| Header | Meaning | Example |',
    '| --- | --- | --- |',
    ...Object.entries(PUBLIC_EVENT_HEADERS).map(
      ([name, { meaning, example }]) => `| \`${name}\` | ${meaning} | \`${example}\` |`,
    ),
    '',
    ...READING,
    ...EVOLUTION,
  ].join('\n');
}

const DELIVERY = [
  '## Delivery',
  '',
  '- **At least once.** After a fault events come again, with the same `eventId`. Drop what you have seen; or keep the',
  '  highest `revision` of each payment and drop what is not above it. Keep that beside your results: a restart must not',
  '  forget it.',
  '- **In order per payment.** Once repeated events are dropped, those of a payment come in the order of their',
  '  `revision`, none missing. Between payments there is no order: the topic has several partitions.',
  '- **Soon.** Usually within a tenth of a second; within three seconds more when the publishing instance dies.',
  '- **For ever.** The topic keeps everything, so a new reader begins at the first payment. If the topic is lost, it is',
  '  filled again from the first event, with the same ids.',
  '- **As stored.** An event is told once it cannot be taken back, and never before it is in the ledger.',
  '',
];

const READING = [
  '## Reading',
  '',
  'With the tools of Kafka:',
  '',
  '```sh',
  'kafka-console-consumer.sh --bootstrap-server localhost:9092 --topic payments.events.v1 --from-beginning',
  '```',
  '',
  'With Node: [consumer.mjs](consumer.mjs), ten lines on kafkajs, which a spec runs against a real Kafka.',
  '',
];

const EVOLUTION = [
  '## What may change',
  '',
  '- Within a version a field may be added, and an enum may get a new value: ignore fields that you do not know, and',
  '  expect values that you do not know. Nothing else changes: no field is removed or means something else.',
  '- Events that were published before a field was added do not have it; such fields are not required.',
  '- Everything else is a new version of the event, on a topic of its own (`payments.events.v2`), which is filled from the',
  '  first payment while the old topic goes on. Readers of `payments.events.v1` never meet version 2.',
  '- A spec compares the code with the committed schemas and fails on any other change.',
  '',
];

function eventPage(eventType: PublicEventType): string {
  const { type, version, meaning, fields, addedFields = [], example } = eventType;
  return [
    `# ${type}, version ${version}`,
    '',
    `Made from \`libs/contracts/src/public-events/public-event-table.ts\` ${MADE_BY}`,
    '',
    meaning,
    '',
    `[All events](README.md) · [JSON Schema](../../libs/contracts/schemas/${publicEventName(eventType)}.json)`,
    '',
    '| Field | Type | Meaning |',
    '| --- | --- | --- |',
    ...Object.entries(fields).map(([name, field]) => {
      const maybe = addedFields.includes(name) ? ' May be absent.' : '';
      return `| \`${name}\` | ${typeOf(field)} | ${field.description}${maybe} |`;
    }),
    '',
    '```json',
    JSON.stringify(example, null, 2),
    '```',
    '',
  ].join('\n');
}

function typeOf(field: FieldSchema): string {
  if (field.const !== undefined) return `\`${JSON.stringify(field.const)}\``;
  if (field.enum !== undefined) return field.enum.map((value) => `\`${JSON.stringify(value)}\``).join(', ');
  const type = typeof field.type === 'string' ? field.type : field.type.join(' or ');
  return field.format === undefined ? type : `${type} (${field.format})`;
}
