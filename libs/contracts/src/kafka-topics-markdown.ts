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
    '| Topic | Personal data | Gone after, at most |': topics.flatMap((topic) => {
      const { name, personalData } = topic;
      return personalData === undefined ? [] : [`| \`${name}\` | ${personalData} | ${longestTime(topic)} |`];
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

const MINUTE_MS = 60_000;
/** Brokers look for old segments every five minutes, and remove their files a minute later. */
const REMOVAL_MINUTES = 6;

/** Returns how long a record may be on the disk of a broker: a segment is closed after a quarter of the time. */
function longestTime({ keptMs, isCompacted }: KafkaTopic): string {
  if (isCompacted) return '2 days after a newer record of the key, and the next record of the partition';
  if (keptMs === null) return 'never';
  const minutes = Math.ceil((keptMs * 1.25) / MINUTE_MS) + REMOVAL_MINUTES;
  return minutes < 24 * 60 ? `${minutes} minutes` : `${Math.ceil((minutes / 24 / 60) * 10) / 10} days`;
}

/** Returns how long a topic keeps its records, in words. */
export function keptText({ keptMs, isCompacted }: KafkaTopic): string {
  if (isCompacted) return 'newest of each key';
  if (keptMs === null) return 'for ever';
  const unit = UNITS.find(({ ms }) => keptMs >= ms && keptMs % ms === 0) ?? { ms: 1, name: 'millisecond' };
  const count = keptMs / unit.ms;
  return `${count} ${unit.name}${count === 1 ? '' : 's'}`;
}
