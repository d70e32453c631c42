/** The part of JSON Schema (draft 2020-12) that the shapes below need. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** One definition of a JSON value: its TypeScript type, its check and its JSON Schema. */
export interface Shape<Value> {
  readonly schema: JsonSchema;
  /** Returns the value, reduced to the known fields, or undefined if it does not have this shape. */
  readonly read: (value: unknown) => Value | undefined;
}

export type ValueOf<S> = S extends Shape<infer Value> ? Value : never;

/** A text of at most `maxLength` characters that matches `pattern`. */
export function text(pattern: RegExp, maxLength: number, format?: string): Shape<string> {
  return {
    schema: { type: 'string', maxLength, pattern: pattern.source, ...(format === undefined ? {} : { format }) },
    read: (value) =>
      typeof value === 'string' && value.length <= maxLength && pattern.test(value) ? value : undefined,
  };
}

/** A whole number, `min` and `max` included. */
export function wholeNumber(min: number, max: number): Shape<number> {
  return {
    schema: { type: 'integer', minimum: min, maximum: max },
    read: (value) =>
      typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max ? value : undefined,
  };
}

export const yesOrNo: Shape<boolean> = {
  schema: { type: 'boolean' },
  read: (value) => (typeof value === 'boolean' ? value : undefined),
};

/** One of a closed list of words. */
export function oneOf<const Word extends string>(...words: readonly Word[]): Shape<Word> {
  return { schema: { enum: words }, read: (value) => words.find((word) => word === value) };
}

export function orNull<Value>(shape: Shape<Value>): Shape<Value | null> {
  return {
    schema: { anyOf: [shape.schema, { type: 'null' }] },
    read: (value) => (value === null ? null : shape.read(value)),
  };
}

/** A list of at most `maxItems`, each of which has the shape. */
export function listOf<Value>(shape: Shape<Value>, maxItems: number): Shape<readonly Value[]> {
  return {
    schema: { type: 'array', items: shape.schema, maxItems },
    read: (value) => {
      if (!Array.isArray(value) || value.length > maxItems) return undefined;
      const items = value.map((item) => shape.read(item));
      return items.every((item) => item !== undefined) ? items : undefined;
    },
  };
}

type Fields = Readonly<Record<string, Shape<unknown>>>;

/** An object that has all the fields. Further fields are ignored, so that the other side may add some. */
export function object<F extends Fields>(fields: F): Shape<{ readonly [Name in keyof F]: ValueOf<F[Name]> }> {
  const entries = Object.entries(fields);
  const properties = Object.fromEntries(entries.map(([name, { schema }]) => [name, schema]));
  return {
    schema: { type: 'object', required: Object.keys(fields), properties },
    read: (value) => {
      if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
      const source = value as Readonly<Record<string, unknown>>;
      const result: Record<string, unknown> = {};
      for (const [name, shape] of entries) {
        const field = Object.hasOwn(source, name) ? shape.read(source[name]) : undefined;
        if (field === undefined) return undefined;
        result[name] = field;
      }
      return result as { readonly [Name in keyof F]: ValueOf<F[Name]> };
    },
  };
}

/** Returns a function that checks a parsed JSON value: the value, or null if it does not have the shape. */
export function parserOf<Value>(shape: Shape<Value>): (value: unknown) => Value | null {
  return (value) => shape.read(value) ?? null;
}
