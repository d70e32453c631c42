import type { EventField, EventFields, FieldSchema, ObjectSchema } from './public-event-fields.js';
import type { PublicEventType } from './public-event-table.js';
import { PUBLISHED_TYPES } from './public-topics.js';

/** JSON Schema of one type of public event in one version. */
export interface PublicEventSchema extends ObjectSchema {
  readonly $schema: 'https://json-schema.org/draft/2020-12/schema';
  readonly $id: string;
  readonly title: string;
  readonly description: string;
  readonly examples: readonly PublicEventType['example'][];
}

/** Returns the name of the files about an event: `payment-created.v1`. */
export function publicEventName({ type, version }: Pick<PublicEventType, 'type' | 'version'>): string {
  return `${type.replace(/(?<=[a-z])[A-Z]/g, (letter) => `-${letter}`).toLowerCase()}.v${version}`;
}

/** The schemas of all public events, by `publicEventName`. */
export function publicEventSchemas(): ReadonlyMap<string, PublicEventSchema> {
  return new Map(PUBLISHED_TYPES.map((eventType) => [publicEventName(eventType), schemaOf(eventType)]));
}

function schemaOf(eventType: PublicEventType): PublicEventSchema {
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: `urn:settle:event:${eventType.type}:${eventType.version}`,
    ...publicEventBody(eventType),
  };
}

/** The schema of one type of event, in keywords that every draft of JSON Schema has. */
export function publicEventBody(eventType: PublicEventType): Omit<PublicEventSchema, '$schema' | '$id'> {
  const { type, meaning, fields, example } = eventType;
  return { title: type, description: meaning, ...objectSchemaOf(fields), examples: [example] };
}

/** Returns the schema of an object with these fields, which may get further ones. */
export function objectSchemaOf(fields: EventFields): ObjectSchema {
  return {
    type: 'object',
    properties: Object.fromEntries(Object.entries(fields).map(([name, each]) => [name, fieldSchemaOf(each)])),
    required: Object.keys(fields).filter((name) => fields[name]?.addedIn === undefined),
    additionalProperties: true,
  };
}

/** Fields of a description that are no part of its schema. */
const BESIDE_SCHEMA: ReadonlySet<string> = new Set(['addedIn', 'unit', 'privacy'] satisfies (keyof EventField)[]);

function fieldSchemaOf(described: EventField): FieldSchema {
  const parts = Object.entries(described)
    .filter(([name]) => !BESIDE_SCHEMA.has(name))
    .map(([name, value]) => [name, name === 'items' ? objectSchemaOf(value as EventFields) : (value as unknown)]);
  return Object.fromEntries(parts) as FieldSchema;
}
