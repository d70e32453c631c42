import type { FieldSchema } from './public-event-fields.js';
import type { PublicEventType } from './public-event-table.js';
import { PUBLISHED_TYPES } from './public-topics.js';

/** JSON Schema of one type of public event in one version. */
export interface PublicEventSchema {
  readonly $schema: 'https://json-schema.org/draft/2020-12/schema';
  readonly $id: string;
  readonly title: string;
  readonly description: string;
  readonly type: 'object';
  readonly properties: Readonly<Record<string, FieldSchema>>;
  readonly required: readonly string[];
  /** True: a version may get fields that a reader of today does not know. */
  readonly additionalProperties: boolean;
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
  return {
    title: type,
    description: meaning,
    type: 'object',
    properties: Object.fromEntries(Object.entries(fields).map(([name, { isAdded: _, ...schema }]) => [name, schema])),
    required: Object.keys(fields).filter((name) => !fields[name]?.isAdded),
    additionalProperties: true,
    examples: [example],
  };
}
