import type { FieldSchema, ObjectSchema } from './public-event-fields.js';
import type { PublicEventSchema } from './public-event-schemas.js';

/** The parts of a field that consumers rely on; its description and examples may change. */
const FIXED = [
  'type',
  'const',
  'format',
  'pattern',
  'minimum',
  'maximum',
  'minLength',
  'maxLength',
  'maxItems',
] as const;

/**
 * Returns the breaks of a change of a released schema: events on the topic that would no longer fit, or consumers
 * who rely on what it promised. Empty: the change is one that the same version may make (a new field that is not
 * required, a new value of an enum, an enum or a schema that is opened).
 * @param current null: the version is no longer described at all
 */
export function schemaBreaks(released: PublicEventSchema, current: PublicEventSchema | null): string[] {
  if (current === null) return ['it is gone, but its events stay on the topic for ever'];
  const breaks = objectBreaks(released, current);
  for (const keyword of ['$id', 'type'] as const) {
    if (released[keyword] !== current[keyword]) breaks.push(`its "${keyword}" changed`);
  }
  if (!current.additionalProperties) breaks.push('it refuses fields that it does not know');
  return breaks;
}

function objectBreaks(released: ObjectSchema, current: ObjectSchema): string[] {
  const breaks = Object.entries(released.properties).flatMap(([name, field]) =>
    fieldBreaks(name, field, current.properties[name]),
  );
  for (const name of Object.keys(current.properties)) {
    const isNew = released.properties[name] === undefined;
    const wasRequired = released.required.includes(name);
    const isRequired = current.required.includes(name);
    if (isNew && isRequired) breaks.push(`the new field "${name}" is required, but older events do not have it`);
    if (!isNew && isRequired && !wasRequired) breaks.push(`the field "${name}" became required`);
    if (!isNew && !isRequired && wasRequired) breaks.push(`the field "${name}" is no longer required`);
  }
  return breaks;
}

function fieldBreaks(name: string, released: FieldSchema, current: FieldSchema | undefined): string[] {
  if (current === undefined) return [`the field "${name}" was removed`];
  const changed = FIXED.filter((keyword) => JSON.stringify(released[keyword]) !== JSON.stringify(current[keyword]));
  const breaks = changed.map((keyword) => `the field "${name}" changed its "${keyword}"`);
  const [before, after] = [knownValues(released), knownValues(current)];
  if ((before === null) !== (after === null)) breaks.push(`the field "${name}" changed its "enum"`);
  if (after !== null && current.anyOf === undefined) breaks.push(`the field "${name}" refuses values of tomorrow`);
  if (released.items !== undefined && current.items !== undefined) {
    breaks.push(...objectBreaks(released.items, current.items).map((each) => `in "${name}", ${each}`));
  }
  const lost = (before ?? []).filter((value) => after?.includes(value) === false);
  return [...breaks, ...lost.map((value) => `the field "${name}" lost the value "${value}"`)];
}

/** Returns the values of an enum, open or closed; null for other fields. */
function knownValues(field: FieldSchema & { readonly enum?: readonly string[] }): readonly string[] | null {
  return field.anyOf?.[0].enum ?? field.enum ?? null;
}

/** Returns instructions about `schemaBreaks`. @param name as `publicEventName` returns it */
export function breakingChange(name: string, breaks: readonly string[]): string {
  return (
    `${name} is released and may only grow: ${breaks.join('; ')}. ` +
    'Take the change back, and make a new version instead: leave the entry in PUBLIC_EVENT_TYPES as it was, add one ' +
    'with the next version and the new fields, publish it to a topic of that version beside the old one ' +
    '(payments.events.v2), and run node tools/generate.mjs.'
  );
}
