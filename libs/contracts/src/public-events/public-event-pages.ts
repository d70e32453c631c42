import type { FieldSchema } from './public-event-fields.js';
import { PUBLIC_EVENT_HEADERS } from './public-event-headers.js';
import { publicEventName } from './public-event-schemas.js';
import { PUBLIC_EVENT_TYPES, type PublicEventType } from './public-event-table.js';

const MADE_BY = 'by `node tools/generate.mjs`: change the table, not this page.';

export interface Page {
  readonly name: string;
  readonly text: string;
}

/** The pages of `docs/events/`: the published events, for consumers. */
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
    'In the distributed shape every payment is published on the Kafka topic `payments.events.v1`, for analysts and other',
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
    ...EPOCHS,
    ...CONNECTING,
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
  '  filled again from the first event, with the same ids. After a restore of the ledger it is emptied and filled again:',
  '  see *Epochs*.',
  '- **With its own time.** The timestamp of a record is that of its event, in milliseconds, also when it comes again.',
  '- **Compressed** with gzip, which every client library reads.',
  '- **As stored.** An event is published once it is final, and never before it is in the ledger.',
  '',
];

const EPOCHS = [
  '## Epochs',
  '',
  'A ledger that is restored from a backup, or whose standby took over without the newest commits, has lost payments that',
  'this topic has told of, and makes others in their place. Then the topic is emptied (its offsets go on) and filled from the',
  'first payment, and the header `epoch` of every record is higher than before. Keep the highest epoch that you have seen',
  'beside your results, and compare each record with it before you drop repeated events:',
  '',
  '- **higher**: drop everything that you made of the records so far, what you know of revisions and event ids included, keep',
  '  the new epoch, and take this record as the first. Nothing has to be sought back: the records of the new epoch, all of them, ',
  '  come from here on.',
  '- **lower**: drop the record. It was in flight when the topic was emptied.',
  '- **missing**: the record is from before the header was added, and its epoch is 1.',
  '',
  'Start with `auto.offset.reset=earliest` (kafkajs: `fromBeginning: true`): a group that lags behind finds its offset deleted,',
  'and must go on with the first record that is there.',
  '',
];

const CONNECTING = [
  '## Connecting',
  '',
  '| Where Settle runs | Broker | Sign-in |',
  '| --- | --- | --- |',
  '| `npm run stack` | `localhost:9092`, or what `KAFKA_PORT` says | none, on this machine only |',
  '| `docker compose` | `kafka:9092`, from containers of the network `settle_default`; no port is published on the host | SASL `PLAIN` without TLS |',
  '| with brokers of your own | what `KAFKA_BROKERS` says | as the brokers ask for it |',
  '',
  '- **Topic prefix.** With `KAFKA_TOPIC_PREFIX` the topic is called `<prefix>payments.events.v1`. `docker-compose.yml` sets none.',
  '- **A principal of its own.** Where the brokers have an authorizer, as under compose, a consumer needs `Read` on the topic and',
  '  `Read` on its consumer group, and nothing else. Never give it the name of a service: services may write.',
  '- **TLS and SASL.** Settle adds no requirement: a consumer uses what the brokers offer to their clients. In the properties of',
  '  a Java client that is `security.protocol` (`SASL_SSL` for both), `sasl.mechanism` and `sasl.jaas.config`. `PLAIN` sends the',
  '  password itself: outside of one machine use it over TLS only.',
  '',
  'Under compose, add `user_analysts="<password>"` to `KAFKA_LISTENER_NAME_SERVICES_PLAIN_SASL_JAAS_CONFIG` of the service',
  '`kafka` (before its last semicolon) and start it again. Then give that principal its rights, signed in as `admin`:',
  '',
  '```sh',
  '. ./.env',
  "docker exec -i settle-kafka-1 sh -c 'cat > /tmp/admin.properties' <<END",
  'security.protocol=SASL_PLAINTEXT',
  'sasl.mechanism=PLAIN',
  'sasl.jaas.config=org.apache.kafka.common.security.plain.PlainLoginModule required username="admin" password="$KAFKA_ADMIN_PASSWORD";',
  'END',
  'docker compose exec kafka /opt/kafka/bin/kafka-acls.sh --bootstrap-server kafka:9092 --command-config /tmp/admin.properties \\',
  '  --add --allow-principal User:analysts --operation Read --topic payments.events.v1 --group analysts',
  '```',
  '',
];

const READING = [
  '## Reading',
  '',
  'With the tools of Kafka, where no sign-in is needed; otherwise add `--command-config` with the properties (before Kafka 4.2',
  '`--consumer.config`):',
  '',
  '```sh',
  'kafka-console-consumer.sh --bootstrap-server localhost:9092 --topic payments.events.v1 --from-beginning --group analysts',
  '```',
  '',
  'With Node: [consumer.mjs](consumer.mjs), some thirty lines on kafkajs, which specs run against a real Kafka. It takes',
  '`KAFKA_BROKERS`, `KAFKA_TOPIC_PREFIX`, `KAFKA_GROUP` (`analysts`), `KAFKA_USERNAME`, `KAFKA_PASSWORD`,',
  '`KAFKA_SASL_MECHANISM` (`SCRAM-SHA-512`) and `KAFKA_SSL=true`; `NODE_EXTRA_CA_CERTS` names authorities of your own.',
  '',
];

const EVOLUTION = [
  '## What may change',
  '',
  '- Within a version a field may be added, and an enum may get a new value: ignore fields that you do not know, and',
  '  expect values that you do not know. Nothing else changes: no field is removed or means something else.',
  '- The schemas allow both, so an event of tomorrow passes a validator that holds the schema of today: `anyOf` names the',
  '  values that are known, and the form of those that may come.',
  '- Events that were published before a field was added do not have it; such fields are not required.',
  '- Everything else is a new version of the event, on a topic of its own (`payments.events.v2`), which is filled from the',
  '  first payment while the old topic goes on. Readers of `payments.events.v1` never meet version 2.',
  '- A spec compares the code with the committed schemas and fails on any other change.',
  '',
];

function eventPage(eventType: PublicEventType): string {
  const { type, version, meaning, fields, example } = eventType;
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
      const maybe = field.isAdded ? ' May be absent.' : '';
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
  if (field.anyOf !== undefined) {
    const [{ enum: values }] = field.anyOf;
    return `${values.map((value) => `\`${JSON.stringify(value)}\``).join(', ')}; others may come`;
  }
  const type = typeof field.type === 'string' ? field.type : field.type.join(' or ');
  return field.format === undefined ? type : `${type} (${field.format})`;
}
