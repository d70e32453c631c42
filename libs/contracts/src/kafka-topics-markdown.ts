import { KAFKA_TOPICS, type KafkaTopic } from './kafka-topics.js';

const UNITS = [
  { ms: 86_400_000, name: 'day' },
  { ms: 3_600_000, name: 'hour' },
  { ms: 60_000, name: 'minute' },
];

/** The text of `docs/topics.md`: the topics for whoever runs a Kafka cluster or reads from it. */
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
  ].join('\n');
}

function kept({ keptMs, isCompacted }: KafkaTopic): string {
  if (isCompacted) return 'newest of each key';
  if (keptMs === null) return 'for ever';
  const unit = UNITS.find(({ ms }) => keptMs >= ms && keptMs % ms === 0) ?? { ms: 1, name: 'millisecond' };
  const count = keptMs / unit.ms;
  return `${count} ${unit.name}${count === 1 ? '' : 's'}`;
}
