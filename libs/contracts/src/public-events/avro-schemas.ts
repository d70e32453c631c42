import type { EventField } from './public-event-fields.js';
import { PUBLIC_TOPICS, type PublicTopic } from './public-topics.js';
import { topicFields } from './topic-fields.js';

/** The Avro schema of the records of each public topic, by the name of the topic. */
export function avroSchemas(): ReadonlyMap<string, object> {
  return new Map(PUBLIC_TOPICS.map((publicTopic) => [publicTopic.topic.name, avroSchemaOf(publicTopic)]));
}

/**
 * Returns one record with the fields of all types of the topic. Fields that some records lack are null there, and enums are
 * strings, so that a schema with further types, fields and values reads all earlier records and is read by earlier readers.
 */
function avroSchemaOf(publicTopic: PublicTopic): object {
  const { recordName, summary } = publicTopic;
  const fields = topicFields(publicTopic).map(({ name, field, isInAll, isNullable }) => {
    const type = avroTypeOf(name, field);
    const ofField = isInAll && !isNullable ? { type } : { type: ['null', type], default: null };
    return { name, doc: field.description, ...ofField };
  });
  return { type: 'record', name: recordName, namespace: 'settle.events.v1', doc: summary, fields };
}

function avroTypeOf(name: string, { type, format, items }: EventField): unknown {
  if (type === 'integer') return 'long';
  if (items === undefined) return format === 'uuid' ? { type: 'string', logicalType: 'uuid' } : 'string';
  const fields = Object.entries(items).map(([inner, field]) => {
    return { name: inner, doc: field.description, type: avroTypeOf(inner, field) };
  });
  return { type: 'array', items: { type: 'record', name: `${name}_item`, fields } };
}
