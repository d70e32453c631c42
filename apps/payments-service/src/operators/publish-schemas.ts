import { LIMITS } from '@settle/config';
import { avroSchemas, topicSchemas } from '@settle/contracts';

export const SCHEMA_TYPES = ['JSON', 'AVRO'] as const;
export type SchemaType = (typeof SCHEMA_TYPES)[number];

/** A schema registry with the API of Confluent's. */
export interface SchemaRegistry {
  readonly url: URL;
  /** Value of the header `authorization`; null: no sign-in. Never log it. */
  readonly authorization: string | null;
}

export interface PublishedSchemas {
  readonly type: SchemaType;
  /** Stands before the names of topics. */
  readonly topicPrefix: string;
  readonly say: (line: string) => void;
}

/** Fully in both directions and with every earlier version, as the schemas may change within a version of a topic. */
const COMPATIBILITY = 'FULL_TRANSITIVE';
const MEDIA_TYPE = 'application/vnd.schemaregistry.v1+json';
/** An answer of the registry is repeated up to this length. */
const MESSAGE_CHARACTERS = 500;

/**
 * Returns the registry with the credentials of the environment: `SCHEMA_REGISTRY_TOKEN`, or `SCHEMA_REGISTRY_USERNAME` and
 * `SCHEMA_REGISTRY_PASSWORD`. Errors: a line for the operator, without the credentials.
 */
export function readRegistry(address: string, env: Readonly<Record<string, string | undefined>>): SchemaRegistry {
  const url = URL.parse(address);
  if (url === null || !['http:', 'https:'].includes(url.protocol)) {
    throw new Error('--registry must be an address that begins with http:// or https://');
  }
  if (url.username !== '' || url.password !== '') {
    throw new Error('--registry must not hold credentials: set SCHEMA_REGISTRY_USERNAME and SCHEMA_REGISTRY_PASSWORD');
  }
  const { SCHEMA_REGISTRY_TOKEN: token, SCHEMA_REGISTRY_USERNAME: username, SCHEMA_REGISTRY_PASSWORD: password } = env;
  if ((username === undefined) !== (password === undefined)) {
    throw new Error('SCHEMA_REGISTRY_USERNAME and SCHEMA_REGISTRY_PASSWORD are needed together');
  }
  if (token !== undefined && username !== undefined) {
    throw new Error('Set SCHEMA_REGISTRY_TOKEN, or SCHEMA_REGISTRY_USERNAME and SCHEMA_REGISTRY_PASSWORD, not both');
  }
  if (token !== undefined) return { url, authorization: `Bearer ${token}` };
  if (username === undefined) return { url, authorization: null };
  return { url, authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}` };
}

/**
 * Registers the schema of each public topic under `<topic>-value` and requires full compatibility there. May be repeated: a
 * registry knows a schema that it has. Errors: a line for the operator.
 */
export async function publishSchemas(registry: SchemaRegistry, published: PublishedSchemas): Promise<void> {
  const { type, topicPrefix, say } = published;
  const schemas: ReadonlyMap<string, object> = type === 'JSON' ? topicSchemas() : avroSchemas();
  for (const [topic, schema] of schemas) {
    const subject = `${topicPrefix}${topic}-value`;
    const path = encodeURIComponent(subject);
    await send(registry, ['PUT', `config/${path}`], { compatibility: COMPATIBILITY });
    const body = { schemaType: type, schema: JSON.stringify(schema) };
    const { id } = await send(registry, ['POST', `subjects/${path}/versions`], body);
    if (!Number.isSafeInteger(id))
      throw new Error(`${subject}: the registry has answered without the id of the schema`);
    say(`${subject}: schema ${String(id)}, ${COMPATIBILITY}`);
  }
}

type Answer = Readonly<Record<string, unknown>>;

async function send(
  { url, authorization }: SchemaRegistry,
  [method, path]: readonly ['PUT' | 'POST', string],
  body: object,
): Promise<Answer> {
  const address = new URL(path, `${url.href.replace(/\/*$/, '')}/`);
  const { status, text } = await fetch(address, {
    method,
    headers: { 'content-type': MEDIA_TYPE, accept: MEDIA_TYPE, ...(authorization === null ? {} : { authorization }) },
    body: JSON.stringify(body),
    // Credentials are for this address only.
    redirect: 'error',
    signal: AbortSignal.timeout(LIMITS.operators.registryWaitMs),
  }).then(
    async (response) => ({ status: response.status, text: await response.text() }),
    (error: Error) => {
      throw new Error(`The registry at ${url.host} does not answer: ${reasonOf(error)}`);
    },
  );
  const answer = parse(text);
  if (status >= 200 && status < 300 && answer !== null) return answer;
  const message = String(answer?.['message'] ?? text).slice(0, MESSAGE_CHARACTERS);
  throw new Error(`${method} /${decodeURIComponent(path)}: ${explain(status)} (${status}): ${message}`);
}

function reasonOf({ name, message, cause }: Error): string {
  if (name === 'TimeoutError') return `nothing came within ${LIMITS.operators.registryWaitMs} ms`;
  return cause instanceof Error ? cause.message : message;
}

function explain(status: number): string {
  if (status === 401 || status === 403) return 'the registry refuses the sign-in or its rights';
  if (status === 409) return 'the schema is not compatible with one that the registry has';
  if (status === 422) return 'the registry does not accept the schema';
  return 'the registry has failed';
}

function parse(text: string): Answer | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Answer) : null;
  } catch {
    return null;
  }
}
