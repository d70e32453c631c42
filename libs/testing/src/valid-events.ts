import { publicEventSchemas, type PublicEventSchema } from '@settle/contracts';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';

const ajv = new Ajv2020({ allowUnionTypes: true });
formats.default(ajv);
const validators = new Map(
  [...publicEventSchemas().values()].map((schema) => [schema.$id, ajv.compile(closed(schema))] as const),
);

/** Returns a stricter schema: consumers must accept fields and values of later releases, but this code publishes none. */
function closed({ properties, ...schema }: PublicEventSchema): object {
  const fields = Object.entries(properties).map(([name, { anyOf, ...field }]) => [
    name,
    anyOf === undefined ? field : { ...field, enum: anyOf[0].enum },
  ]);
  return { ...schema, properties: Object.fromEntries(fields), additionalProperties: false };
}

/** Returns the errors of the published schema for an event of this release; empty if it is valid. */
export function schemaErrorsOf(event: object): readonly object[] {
  const { type, schemaVersion = 1 } = event as { type?: unknown; schemaVersion?: unknown };
  const isValid = validators.get(`urn:settle:event:${String(type)}:${String(schemaVersion)}`);
  if (isValid === undefined) return [{ message: `no schema for ${String(type)} ${String(schemaVersion)}` }];
  return isValid(event) ? [] : (isValid.errors ?? []);
}
