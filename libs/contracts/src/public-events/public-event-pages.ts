import type { EventField, EventFields } from './public-event-fields.js';
import { PUBLIC_EVENT_HEADERS } from './public-event-headers.js';
import { publicEventName } from './public-event-schemas.js';
import type { PublicEventType } from './public-event-table.js';
import { PUBLIC_TOPICS, PUBLISHED_TYPES } from './public-topics.js';

/** The pages of `docs/events/` about one event each, for consumers. */
export function publicEventPages() {
  return PUBLISHED_TYPES.map((eventType) => ({
    name: `${publicEventName(eventType)}.md`,
    text: eventPage(eventType),
  }));
}

/** The tables of `docs/events/README.md`: the rows by the head. */
export function publicEventTables(): Readonly<Record<string, readonly string[]>> {
  return {
    ...Object.fromEntries(PUBLIC_TOPICS.map(({ tableHead, types }) => [tableHead, types.map(typeRow)])),
    '| Header | Meaning | Example |': Object.entries(PUBLIC_EVENT_HEADERS).map(
      ([name, { meaning, example }]) => `| \`${name}\` | ${meaning} | \`${example}\` |`,
    ),
  };
}

function typeRow(eventType: PublicEventType): string {
  return `| [\`${eventType.type}\`](${publicEventName(eventType)}.md), version ${eventType.version} | ${eventType.meaning} |`;
}

function eventPage(eventType: PublicEventType): string {
  const { type, version, meaning, fields, example } = eventType;
  return [
    `# ${type}, version ${version}`,
    '',
    'Made from the tables in `libs/contracts/src/public-events` by `node tools/generate.mjs`: change those, not this page.',
    '',
    meaning,
    '',
    `[All events](README.md) · [JSON Schema](../../libs/contracts/schemas/${publicEventName(eventType)}.json)`,
    '',
    '| Field | Type | Meaning |',
    '| --- | --- | --- |',
    ...flatFields(fields).map(([name, field]) => {
      const maybe = field.addedIn === undefined ? '' : ' May be absent.';
      return `| \`${name}\` | ${typeOf(field)} | ${field.description}${maybe} |`;
    }),
    '',
    '```json',
    JSON.stringify(example, null, 2),
    '```',
    '',
  ].join('\n');
}

/** Returns the fields with those of the items of arrays, whose names begin with that of the array. */
export function flatFields(fields: EventFields): (readonly [name: string, EventField])[] {
  return Object.entries(fields).flatMap(([name, field]) => [
    [name, field] as const,
    ...flatFields(field.items ?? {}).map(([inner, each]) => [`${name}[].${inner}`, each] as const),
  ]);
}

/** Returns the type of a field in words. */
export function typeOf(field: EventField): string {
  if (field.items !== undefined) return 'array of objects';
  if (field.const !== undefined) return `\`${JSON.stringify(field.const)}\``;
  if (field.anyOf !== undefined) {
    const [{ enum: values }] = field.anyOf;
    return `${values.map((value) => `\`${JSON.stringify(value)}\``).join(', ')}; others may come`;
  }
  const type = typeof field.type === 'string' ? field.type : field.type.join(' or ');
  return field.format === undefined ? type : `${type} (${field.format})`;
}
