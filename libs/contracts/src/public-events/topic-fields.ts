import type { EventField } from './public-event-fields.js';
import type { PublicTopic } from './public-topics.js';

/** A field of the records of a topic, whatever their type. */
export interface TopicField {
  readonly name: string;
  /** The union of what the types say of it. */
  readonly field: EventField;
  /** The types whose records have it. */
  readonly types: readonly string[];
  /** Whether every record has it, also those of earlier releases. */
  readonly isInAll: boolean;
  readonly isNullable: boolean;
  /** The first release whose records have it. */
  readonly since: string;
}

/** Returns the fields of all types of a topic, in the order in which they first appear. */
export function topicFields({ types, since }: Pick<PublicTopic, 'types' | 'since'>): readonly TopicField[] {
  const names = [...new Set(types.flatMap(({ fields }) => Object.keys(fields)))];
  return names.map((name) => {
    const owners = types.filter(({ fields }) => fields[name] !== undefined);
    const variants = owners.flatMap(({ fields }) => fields[name] ?? []);
    const field = variants.reduce(unionOf);
    return {
      name,
      field,
      types: owners.map(({ type }) => type),
      isInAll: owners.length === types.length && field.addedIn === undefined,
      isNullable: typeof field.type !== 'string',
      since: field.addedIn ?? since,
    };
  });
}

/** Returns a field that accepts what either accepts: differing constants become the values of an open enum. */
function unionOf(one: EventField, other: EventField): EventField {
  const values = [...new Set([...valuesOf(one), ...valuesOf(other)])];
  const { const: only, anyOf, ...plain } = one;
  const type = typeof one.type === 'string' ? other.type : one.type;
  if (values.length === 0 || (only !== undefined && only === other.const)) return { ...one, type };
  return { ...plain, type, anyOf: [{ enum: values }, anyOf?.[1] ?? { pattern: '^[A-Za-z][A-Za-z_]{0,63}$' }] };
}

const valuesOf = ({ const: only, anyOf }: EventField): readonly string[] =>
  typeof only === 'string' ? [only] : (anyOf?.[0].enum ?? []);
