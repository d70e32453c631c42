/** JSON Schema 2020-12, as OpenAPI 3.1 takes it. */
export type Schema = { readonly [keyword: string]: unknown };

/** A schema of `components/schemas`. */
export function ref(name: string): Schema {
  return { $ref: `#/components/schemas/${name}` };
}

/** The schema, or null. */
export function orNull(schema: Schema): Schema {
  return { oneOf: [schema, { type: 'null' }] };
}

/** An object with exactly these keys: a field without a value is null, never absent. */
export function record(description: string, properties: Readonly<Record<string, Schema>>): Schema {
  return { type: 'object', description, properties, required: Object.keys(properties), additionalProperties: false };
}
