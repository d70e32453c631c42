import { KAFKA_TOPICS, type KafkaTopic } from './kafka-topics.js';
import { SERVICES, SERVICE_NAMES, type KafkaRights, type KafkaTopicKey } from './services.js';

const UNITS = [
  { ms: 86_400_000, name: 'day' },
  { ms: 3_600_000, name: 'hour' },
  { ms: 60_000, name: 'minute' },
];

/** The text of `docs/topics.md`: the topics for operators and consumers. */
export function kafkaTopicsMarkdown(): string {
  const topics: readonly KafkaTopic[] = Object.values(KAFKA_TOPICS);
  return [
    '# Topics',
    '',
    'Made from `libs/contracts/src/kafka-topics.ts` by `node tools/generate.mjs`: change the table, not this page.',
    '',
    'Made by the migration (`createKafkaTopics`), never by a broker on its own: set `auto.create.topics.enable=false`.',
    'The number of partitions is for ever. Delivery is at least once, in order per key.',
    '',
    '| Topic | Partitions | Kept | Key | Holds |',
    '| --- | --- | --- | --- | --- |',
    ...topics.map((topic) => {
      const { name, partitions, key, holds } = topic;
      return `| \`${name}\` | ${partitions} | ${kept(topic)} | ${key} | ${holds} |`;
    }),
    '',
    ...RIGHTS,
    ...SERVICE_NAMES.map((service) => rightsRow(service, SERVICES[service].kafka)),
    '',
  ].join('\n');
}

const RIGHTS = [
  '## Rights',
  '',
  'A client that may write to `payments.commands` can pay from any wallet: give the brokers an authorizer (such as',
  '`org.apache.kafka.metadata.authorizer.StandardAuthorizer`) and each service a principal of its own. As a principal that',
  'may alter topics and access control lists, with its `KAFKA_*` settings, `node apps/stack/dist/kafka-setup.js` creates the',
  'topics and gives `User:<service>` these rights, as the service `kafka-setup` of `docker-compose.yml` does; run it again',
  'at each upgrade. Principals with other names need the same: Write on what a service produces, Read on what it consumes,',
  'Delete where it removes records, Read on groups whose names begin so; with `KAFKA_TOPIC_PREFIX` before each name. Write',
  'and Read include Describe; nothing else is needed, not even to send idempotently.',
  '',
  '| Service | Write | Read | Delete | Groups: Read |',
  '| --- | --- | --- | --- | --- |',
];

function rightsRow(service: string, { produces, consumes, deletes, groups }: KafkaRights): string {
  const list = (names: readonly string[]) => names.map((name) => `\`${name}\``).join(', ') || 'none';
  const topics = (keys: readonly KafkaTopicKey[]) => list(keys.map((key) => KAFKA_TOPICS[key].name));
  const cells = [
    `\`${service}\``,
    topics(produces),
    topics(consumes),
    topics(deletes),
    list(groups.map((name) => `${name}*`)),
  ];
  return `| ${cells.join(' | ')} |`;
}

function kept({ keptMs, isCompacted }: KafkaTopic): string {
  if (isCompacted) return 'newest of each key';
  if (keptMs === null) return 'for ever';
  const unit = UNITS.find(({ ms }) => keptMs >= ms && keptMs % ms === 0) ?? { ms: 1, name: 'millisecond' };
  const count = keptMs / unit.ms;
  return `${count} ${unit.name}${count === 1 ? '' : 's'}`;
}
