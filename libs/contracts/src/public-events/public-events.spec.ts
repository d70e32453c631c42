import { Ajv } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import specs from '@asyncapi/specs';
import formats from 'ajv-formats';
import { publicEventsAsyncApi } from './public-event-asyncapi.js';
import { publicEventPages, publicEventTables } from './public-event-pages.js';
import { publicEventSchemas, type PublicEventSchema } from './public-event-schemas.js';
import { PUBLIC_TOPICS } from './public-topics.js';
import { breakingChange, schemaBreaks } from './schema-breaks.js';

const schemas = publicEventSchemas();
const released = schemas.get('payment-cancelled.v1') as PublicEventSchema;

const changed = (change: Partial<Record<keyof PublicEventSchema, unknown>>) =>
  ({ ...released, ...change }) as unknown as PublicEventSchema;
const without = (name: string) =>
  Object.fromEntries(Object.entries(released.properties).filter(([other]) => other !== name));
const withField = (name: string, change: object) =>
  changed({ properties: { ...released.properties, [name]: { ...released.properties[name], ...change } } });

describe('the schemas of public events', () => {
  const ajv = new Ajv2020({ strict: true, allowUnionTypes: true });
  formats.default(ajv);

  it.each([...schemas])(
    'given %s, when it is compiled, then its examples fit and a field of another type does not',
    (_, schema) => {
      const isValid = ajv.compile(schema);
      for (const example of schema.examples) {
        expect(isValid(example)).toBe(true);
        for (const [name, { anyOf }] of Object.entries(schema.properties)) {
          expect(isValid({ ...example, [name]: true })).toBe(false);
          if (anyOf !== undefined) expect(isValid({ ...example, [name]: 'For lunch, with love' })).toBe(false);
        }
        expect(Object.keys(example)).toEqual(Object.keys(schema.properties));
      }
      for (const field of Object.values(schema.properties)) {
        for (const example of field.examples) expect(ajv.validate(field, example)).toBe(true);
      }
    },
  );

  it.each([...schemas])(
    'given %s of today, when an event of tomorrow has a new field and new values of each enum, then it fits',
    (_, schema) => {
      const open = Object.entries(schema.properties).filter(([, { anyOf }]) => anyOf !== undefined);
      const tomorrow = Object.fromEntries(open.map(([name]) => [name, 'value_of_tomorrow']));
      const isValid = ajv.compile({ ...schema, $id: `${schema.$id}:today` });
      for (const example of schema.examples) {
        isValid({ ...example, ...tomorrow, channel: 'kiosk' });
        expect(isValid.errors).toBeNull();
      }
    },
  );

  it('given all of them, when their fields are read, then none can contain text or addresses of a user', () => {
    const names = [...schemas.values()].flatMap(({ properties }) => Object.keys(properties));
    expect(names.filter((name) => /note|mail|phone|address|name|text/i.test(name))).toEqual([]);
    const free = [...schemas.values()].flatMap(({ properties }) =>
      Object.entries(properties).filter(([, field]) => !isBounded(field)),
    );
    expect([...new Set(free.map(([name]) => name))]).toEqual(['appId']);
  });

  it('given a page and AsyncAPI of them, when they are validated, then they hold every event', () => {
    const isValid = new Ajv({ strict: false, validateFormats: false }).compile(
      specs.schemasWithoutId['3.0.0'] as object,
    );
    expect(isValid(publicEventsAsyncApi()) ? [] : isValid.errors).toEqual([]);
    const names = [...schemas.keys()].map((name) => `${name}.md`);
    expect(publicEventPages().map(({ name }) => name)).toEqual(names);
    const tables = publicEventTables();
    const rows = PUBLIC_TOPICS.flatMap(({ tableHead }) => tables[tableHead] ?? []);
    expect(rows.map((row) => /\]\((.*?)\)/.exec(row)?.[1])).toEqual(names);
  });
});

function isBounded({
  anyOf: values,
  const: only,
  pattern,
  format,
  type,
  items,
}: PublicEventSchema['properties'][string]) {
  return (values ?? only ?? pattern ?? format ?? items) !== undefined || type === 'integer';
}

describe('a change of a released schema', () => {
  const properties = released.properties;
  const required = released.required;
  const reasons = properties['reason']?.anyOf?.[0].enum ?? [];

  it.each<[string, PublicEventSchema]>([
    ['none', released],
    ['a better description', withField('reason', { description: 'Why.', examples: ['denied'] })],
    ['one more reason', withField('reason', { anyOf: [{ enum: [...reasons, 'account_closed'] }, {}] })],
    ['a new field that older events lack', changed({ properties: { ...properties, channel: { type: 'string' } } })],
  ])('given %s, when it is compared, then nothing breaks', (_, current) => {
    expect(schemaBreaks(released, current)).toEqual([]);
  });

  it.each<[string, PublicEventSchema | null, string]>([
    ['its end', null, 'it is gone'],
    ['a removed field', changed({ properties: without('refundPaymentId') }), '"refundPaymentId" was removed'],
    ['another type', withField('amountCents', { type: 'string' }), '"amountCents" changed its "type"'],
    ['a type that also takes null', withField('reason', { type: ['string', 'null'] }), '"reason" changed its "type"'],
    ['another format', withField('occurredAt', { format: undefined }), '"occurredAt" changed its "format"'],
    ['a narrower bound', withField('feeCents', { minimum: 1 }), '"feeCents" changed its "minimum"'],
    [
      'a lost reason',
      withField('reason', { anyOf: [{ enum: ['denied'] }, {}] }),
      'lost the value "cancelled_by_actor"',
    ],
    ['a removed enum', withField('reason', { anyOf: undefined }), '"reason" changed its "enum"'],
    ['a closed enum', withField('reason', { anyOf: undefined, enum: reasons }), '"reason" refuses values of tomorrow'],
    ['another version in the event', withField('schemaVersion', { const: 2 }), '"schemaVersion" changed its "const"'],
    ['another name', changed({ $id: 'urn:settle:event:PaymentCancelled:2' }), 'its "$id" changed'],
    ['no room for new fields', changed({ additionalProperties: false }), 'refuses fields that it does not know'],
    ['a field less', changed({ required: required.slice(1) }), '"eventId" is no longer required'],
    [
      'a new field in every event',
      changed({ properties: { ...properties, channel: { type: 'string' } }, required: [...required, 'channel'] }),
      'new field "channel" is required',
    ],
  ])('given %s, when it is compared, then it breaks and the message says what to do', (_, current, why) => {
    const breaks = schemaBreaks(released, current);
    expect(breaks).toContainEqual(expect.stringContaining(why));
    expect(breakingChange('payment-cancelled.v1', breaks)).toMatch(/next version .*payments\.events\.v2/);
  });

  it('given a closed schema of an earlier release, when today opens it, then nothing breaks', () => {
    const closed = Object.entries(properties).map(([name, { anyOf, ...field }]) => [
      name,
      anyOf === undefined ? field : { ...field, enum: anyOf[0].enum },
    ]);
    const earlier = changed({ properties: Object.fromEntries(closed), additionalProperties: false });
    expect(schemaBreaks(earlier, released)).toEqual([]);
    expect(schemaBreaks(released, earlier)).not.toEqual([]);
  });

  it('given a field of items, when it is removed, then it breaks', () => {
    const watermark = schemas.get('ledger-watermark.v1') as PublicEventSchema;
    const { partitions } = watermark.properties;
    const items = { ...partitions?.items, properties: { ...partitions?.items?.properties, epoch: undefined } };
    const current = { ...watermark, properties: { ...watermark.properties, partitions: { ...partitions, items } } };
    const breaks = schemaBreaks(watermark, current as unknown as PublicEventSchema);
    expect(breaks).toContain('in "partitions", the field "epoch" was removed');
  });

  it('given a field that older events may lack, when it becomes required, then it breaks', () => {
    const optional = changed({ required: required.slice(1) });
    expect(schemaBreaks(optional, released)).toEqual(['the field "eventId" became required']);
  });
});
