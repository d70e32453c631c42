import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The parts of a schema of the document from which values are generated. */
export interface ValueSchema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly string[];
  readonly items?: ValueSchema;
  readonly examples?: readonly string[];
  readonly properties?: Readonly<Record<string, ValueSchema>>;
  readonly required?: readonly string[];
}

export interface Field {
  readonly name: string;
  readonly isRequired: boolean;
  readonly schema: ValueSchema;
}

export interface Operation {
  readonly method: string;
  /** The absolute path, with `{name}` for parameters. */
  readonly path: string;
  /** Fields of the query, or of the body if the operation has one. */
  readonly fields: readonly Field[];
  readonly takesBody: boolean;
  readonly takesKey: boolean;
}

interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required?: boolean;
  readonly schema: ValueSchema;
}
interface DocumentedOperation {
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: ValueSchema }>> };
}
type Servers = readonly { readonly url: string }[];
interface DocumentedPath {
  readonly servers?: Servers;
  readonly [method: string]: DocumentedOperation | Servers | undefined;
}
interface Document {
  readonly servers: Servers;
  readonly paths: Readonly<Record<string, DocumentedPath>>;
  readonly components: { readonly schemas: Readonly<Record<string, ValueSchema>> };
}

const METHODS = ['get', 'post', 'put', 'delete'];
const FORM = 'application/x-www-form-urlencoded';
const document = JSON.parse(
  readFileSync(join(import.meta.dirname, '../../../../docs/openapi.json'), 'utf8'),
) as Document;

export function resolveSchema(schema: ValueSchema): ValueSchema {
  const name = schema.$ref?.split('/').at(-1);
  return name === undefined ? schema : { ...document.components.schemas[name], ...schema };
}

/** Returns every operation of `docs/openapi.json` for each of its servers. */
export function documentedOperations(): Operation[] {
  return Object.entries(document.paths).flatMap(([path, item]) =>
    (item.servers ?? document.servers).flatMap(({ url }) =>
      METHODS.filter((method) => method in item).map((method) => {
        const whole = new URL(url).pathname.replace(/\/$/, '') + path;
        return operationOf(method, whole, item[method] as DocumentedOperation);
      }),
    ),
  );
}

function operationOf(method: string, path: string, { parameters = [], requestBody }: DocumentedOperation): Operation {
  const ofQuery = parameters.filter((parameter) => parameter.in === 'query');
  const body = requestBody === undefined ? {} : resolveSchema(requestBody.content[FORM]?.schema ?? {});
  const { properties = {}, required = [] } = body;
  return {
    method: method.toUpperCase(),
    path,
    fields: [
      ...ofQuery.map(({ name, required: isRequired = false, schema }) => ({ name, isRequired, schema })),
      ...Object.entries(properties).map(([name, schema]) => ({ name, isRequired: required.includes(name), schema })),
    ].filter(({ name }) => name !== 'access_token'),
    takesBody: requestBody !== undefined,
    takesKey: parameters.some(({ name }) => name === 'Idempotency-Key'),
  };
}
