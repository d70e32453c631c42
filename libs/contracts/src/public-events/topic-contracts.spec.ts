import { Ajv } from 'ajv';
import formats from 'ajv-formats';
import { avroSchemas } from './avro-schemas.js';
import { dataContracts } from './data-contracts.js';
import { PUBLIC_TOPICS } from './public-topics.js';
import { topicPages } from './topic-pages.js';
import { topicSchemas } from './topic-schemas.js';

interface AvroRecord {
  readonly type: 'record';
  readonly name: string;
  readonly fields: readonly { readonly name: string; readonly type: unknown; readonly default?: null }[];
}

/** Whether Avro can store a JSON value under a schema of the kinds that are used here. */
function fits(value: unknown, schema: unknown): boolean {
  if (Array.isArray(schema)) return schema.some((each) => fits(value, each));
  if (schema === 'null') return value === null || value === undefined;
  if (schema === 'string') return typeof value === 'string';
  if (schema === 'long') return Number.isSafeInteger(value);
  const { type, items } = schema as { type: string; items?: unknown };
  if (type === 'array') return Array.isArray(value) && value.every((item) => fits(item, items));
  if (type !== 'record') return fits(value, type);
  const { fields } = schema as AvroRecord;
  return fields.every((field) => fits((value as Record<string, unknown>)[field.name], field.type));
}

const topics = PUBLIC_TOPICS.map((each) => [each.topic.name, each] as const);

describe('the contracts of public topics', () => {
  it.each(topics)(
    'given %s, when its records are checked with the schema of the topic, then all types fit',
    (name, { types }) => {
      const ajv = new Ajv({ strict: true, allowUnionTypes: true });
      formats.default(ajv);
      const isValid = ajv.compile(topicSchemas().get(name) as object);
      for (const { example } of types) {
        isValid({ ...example, fieldOfTomorrow: 1 });
        expect(isValid.errors).toBeNull();
        expect(isValid({ ...example, type: 7 })).toBe(false);
      }
    },
  );

  it.each(topics)(
    'given %s, when its records are stored as Avro, then all types fit and lose no field',
    (name, { types }) => {
      const schema = avroSchemas().get(name) as AvroRecord;
      const names = schema.fields.map((field) => field.name);
      for (const { example } of types) {
        expect(fits(example, schema)).toBe(true);
        expect(names).toEqual(expect.arrayContaining(Object.keys(example)));
      }
      // A field that a record may lack has a default, so that a reader with this schema reads records without it.
      for (const field of schema.fields) {
        const isOptional = types.some(({ fields }) => fields[field.name] === undefined || fields[field.name]?.addedIn);
        if (isOptional) expect(field).toMatchObject({ type: ['null', expect.anything()], default: null });
      }
    },
  );

  it.each(topics)(
    'given %s, when its data contract is read, then it has every field, and its checks run for this topic',
    (name, { types }) => {
      const { schema } = dataContracts().get(name) as {
        schema: { physicalName: string; properties: { name: string }[]; quality: { implementation: string }[] }[];
      };
      const [only] = schema;
      expect(schema.map(({ physicalName }) => physicalName)).toEqual([name]);
      const fields = new Set(types.flatMap((each) => Object.keys(each.fields)));
      expect(new Set(only?.properties.map((property) => property.name))).toEqual(fields);
      for (const { implementation } of only?.quality ?? []) {
        expect(implementation).toBe(`npm run events -- check --topic ${name}`);
      }
    },
  );

  it('given the catalogue, when a field may be null, then its row says when', () => {
    const pages = topicPages().map(({ text }) => text);
    expect(pages.join('\n')).toContain('| `refundPaymentId` | string or null |  | null when nothing was held | fact |');
    expect(pages.join('\n')).toContain('never; absent before 0.2.0');
    expect(pages.join('\n')).toContain('`partitions[].offset`');
  });
});
