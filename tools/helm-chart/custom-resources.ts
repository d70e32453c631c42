import { readFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import { parse } from 'yaml';
import type { Resource } from './rendered-chart.js';
import { schemaFileOf } from './schemas.mjs';

type Schema = Readonly<Record<string, unknown>>;

interface Definition {
  readonly spec: {
    readonly group: string;
    readonly versions: readonly { readonly name: string; readonly schema: { readonly openAPIV3Schema: Schema } }[];
  };
}

/** Patterns are written for Go, where a group in front says that case makes no difference. */
const regExp = Object.assign(
  (pattern: string) => new RegExp(pattern.replace('(?i)', ''), pattern.includes('(?i)') ? 'i' : ''),
  { code: 'new RegExp' },
);

/** Returns what the schema of its kind refuses in a custom resource, and every field that the schema does not have. */
export function faultsOf(resource: Resource): readonly string[] {
  const { spec } = parse(readFileSync(schemaFileOf(resource.kind), 'utf8')) as Definition;
  const version = spec.versions.find(({ name }) => `${spec.group}/${name}` === resource.apiVersion);
  if (version === undefined) return [`${resource.apiVersion} is no version of ${resource.kind}`];
  // Formats such as int32, and keywords of Kubernetes, say nothing more about a value.
  const ajv = new Ajv({ strict: false, allErrors: true, validateFormats: false, code: { regExp } });
  ajv.validate(withoutUnknownFields(version.schema.openAPIV3Schema), resource);
  return (ajv.errors ?? []).map(
    ({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`,
  );
}

/** Kubernetes drops fields that a schema does not have; a chart must not rely on one. */
function withoutUnknownFields(schema: Schema): Schema {
  const closed = Object.fromEntries(Object.entries(schema).map(([name, value]) => [name, withinOf(value)]));
  const isOpen = closed['x-kubernetes-preserve-unknown-fields'] === true;
  const isClosed = closed['type'] === 'object' && typeof closed['properties'] === 'object' && !isOpen;
  return isClosed ? { ...closed, additionalProperties: false } : closed;
}

function withinOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withinOf);
  return typeof value === 'object' && value !== null ? withoutUnknownFields(value as Schema) : value;
}
