import { KAFKA_TOPICS, type KafkaTopic } from './kafka-topics.js';
import { SERVICES, SERVICE_NAMES, type KafkaRights, type KafkaTopicKey } from './services.js';

const UNITS = [
  { ms: 86_400_000, name: 'day' },
  { ms: 3_600_000, name: 'hour' },
  { ms: 60_000, name: 'minute' },
];

/** The tables of `docs/topics.md`, for operators and consumers: the rows by the head. */
export function kafkaTopicsTables(): Readonly<Record<string, readonly string[]>> {
  const topics: readonly KafkaTopic[] = Object.values(KAFKA_TOPICS);
  return {
    '| Topic | Partitions | Kept | Key | Holds |': topics.map((topic) => {
      const { name, partitions, key, holds } = topic;
      return `| \`${name}\` | ${partitions} | ${keptText(topic)} | ${key} | ${holds} |`;
    }),
    '| Service | Write | Read | Delete | Groups: Read |': SERVICE_NAMES.map((service) =>
      rightsRow(service, SERVICES[service].kafka),
    ),
  };
}

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

/** Returns how long a topic keeps its records, in words. */
export function keptText({ keptMs, isCompacted }: KafkaTopic): string {
  if (isCompacted) return 'newest of each key';
  if (keptMs === null) return 'for ever';
  const unit = UNITS.find(({ ms }) => keptMs >= ms && keptMs % ms === 0) ?? { ms: 1, name: 'millisecond' };
  const count = keptMs / unit.ms;
  return `${count} ${unit.name}${count === 1 ? '' : 's'}`;
}
