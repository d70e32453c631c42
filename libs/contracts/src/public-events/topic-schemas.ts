import type { FieldSchema } from './public-event-fields.js';
import { objectSchemaOf } from './public-event-schemas.js';
import { PUBLIC_TOPICS } from './public-topics.js';
import { topicFields } from './topic-fields.js';

/** JSON Schema of all records of a topic, for a registry, which knows one schema for each topic. */
export interface TopicSchema {
  readonly $schema: 'http://json-schema.org/draft-07/schema#';
  readonly $id: string;
  readonly title: string;
  readonly description: string;
  readonly type: 'object';
  readonly properties: Readonly<Record<string, FieldSchema>>;
  readonly required: readonly string[];
  readonly additionalProperties: boolean;
}

/** The JSON Schema of the records of each public topic, by the name of the topic, in a draft that registries read. */
export function topicSchemas(): ReadonlyMap<string, TopicSchema> {
  const schemas = PUBLIC_TOPICS.map((publicTopic): [string, TopicSchema] => {
    const { topic, recordName, summary } = publicTopic;
    const described = topicFields(publicTopic);
    const fields = Object.fromEntries(described.map(({ name, field }) => [name, field]));
    const schema: TopicSchema = {
      $schema: 'http://json-schema.org/draft-07/schema#',
      $id: `urn:settle:topic:${topic.name}`,
      title: recordName,
      description: summary,
      ...objectSchemaOf(fields),
      required: described.filter(({ isInAll }) => isInAll).map(({ name }) => name),
    };
    return [topic.name, schema];
  });
  return new Map(schemas);
}
