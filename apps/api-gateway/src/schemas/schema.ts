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

export const text = (description: string, more: Schema = {}): Schema => ({ type: 'string', description, ...more });

/** Dollars, to the cent. */
export const money = (description: string, example: number): Schema => ({
  type: 'number',
  multipleOf: 0.01,
  description,
  examples: [example],
});

/** A simple schema whose value may be null. */
export const nullable = (schema: Schema, ...examples: unknown[]): Schema => ({
  ...schema,
  type: [schema['type'], 'null'],
  examples,
});

export const id = (description: string, example: string): Schema => ({
  ...ref('Id'),
  description,
  examples: [example],
});
export const datetime = (description: string): Schema => ({ ...ref('Datetime'), description });
