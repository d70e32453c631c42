import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';

/** A response that was received over HTTP. */
export interface ObservedResponse {
  readonly method: string;
  readonly url: string;
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

interface Referable {
  readonly $ref?: string;
}
interface DocumentedHeader extends Referable {
  readonly required?: boolean;
  readonly schema: { readonly type: string };
}
interface DocumentedResponse extends Referable {
  readonly headers?: Readonly<Record<string, DocumentedHeader>>;
  readonly content?: Readonly<Record<string, object>>;
}
interface DocumentedOperation {
  readonly responses: Readonly<Record<string, DocumentedResponse>>;
}
interface DocumentedPath {
  readonly servers?: readonly Server[];
  readonly get?: DocumentedOperation;
  readonly [method: string]: DocumentedOperation | unknown;
}
interface Server {
  readonly url: string;
}
interface Document {
  readonly servers: readonly Server[];
  readonly paths: Readonly<Record<string, DocumentedPath>>;
  readonly components: { readonly responses: Readonly<Record<string, DocumentedResponse>> };
}

/** Headers of Node and Fastify about the connection and the body, and those of cross-origin rules. */
const OF_TRANSPORT =
  /^(?:connection|keep-alive|date|content-type|content-length|transfer-encoding|vary|access-control-.*)$/;

/** The path of the document, which does not describe itself. */
const OWN_PATH = '/openapi.json';

const document = JSON.parse(readFileSync(join(import.meta.dirname, '../../../docs/openapi.json'), 'utf8')) as Document;
const paths = Object.entries(document.paths).map(([path, item]) => ({ pattern: patternOf(path, item), path, item }));
const ajv = new Ajv2020({ strict: false, multipleOfPrecision: 6 });
formats.default(ajv);
ajv.addSchema({ $id: 'document', ...document }, undefined, undefined, false);
const validators = new Map<string, ValidateFunction>();

/** Throws when status, headers or body of a response differ from `docs/openapi.json`. */
export function expectDocumented(observed: ObservedResponse): void {
  const { pathname } = new URL(observed.url);
  const found = paths.find(({ pattern }) => pattern.test(pathname));
  const method = observed.method === 'HEAD' ? 'get' : observed.method.toLowerCase();
  const operation = found?.item[method] as DocumentedOperation | undefined;
  if (operation !== undefined && found !== undefined) {
    const response = operation.responses[observed.status];
    const pointer = `/paths/${escaped(found.path)}/${method}/responses/${observed.status}`;
    if (response === undefined) return fail(observed, 'has an undocumented status');
    check(observed, response, pointer);
    return refuseOtherHeaders(observed, resolved(response));
  }
  if (observed.method === 'OPTIONS' && observed.status === 204) return;
  if (found === undefined && (!isJson(observed) || pathname === OWN_PATH)) return;
  const response = document.components.responses[observed.status];
  if (response === undefined) fail(observed, 'is not documented');
  else check(observed, response, `/components/responses/${observed.status}`);
}

function check(observed: ObservedResponse, response: DocumentedResponse, pointer: string): void {
  const at = response.$ref === undefined ? pointer : response.$ref.slice(1);
  const { headers = {}, content = {} } = resolved(response);
  checkHeaders(observed, headers, at);
  if (observed.method === 'HEAD') return;
  const [mediaType = ''] = (observed.headers.get('content-type') ?? '').split(';');
  if (mediaType === '' && observed.text === '') return;
  if (!Object.hasOwn(content, mediaType)) fail(observed, `has the undocumented media type "${mediaType}"`);
  const body: unknown = isJson(observed) ? JSON.parse(observed.text) : observed.text;
  checkValue(observed, `${at}/content/${escaped(mediaType)}/schema`, body);
}

function checkHeaders(
  observed: ObservedResponse,
  headers: Readonly<Record<string, DocumentedHeader>>,
  pointer: string,
): void {
  for (const [name, given] of Object.entries(headers)) {
    const { required, schema } = resolved(given);
    const text = observed.headers.get(name);
    if (text === null && required === true) fail(observed, `lacks the header ${name}`);
    const at = given.$ref === undefined ? `${pointer}/headers/${name}` : given.$ref.slice(1);
    if (text !== null) checkValue(observed, `${at}/schema`, schema.type === 'integer' ? Number(text) : text);
  }
}

function refuseOtherHeaders(observed: ObservedResponse, { headers = {} }: DocumentedResponse): void {
  if (!isJson(observed)) return;
  const known = new Set(Object.keys(headers).map((name) => name.toLowerCase()));
  const others = [...observed.headers.keys()].filter((name) => !known.has(name) && !OF_TRANSPORT.test(name));
  if (others.length > 0) fail(observed, `has the undocumented headers ${others.join(', ')}`);
}

function checkValue(observed: ObservedResponse, pointer: string, value: unknown): void {
  const isValid = validators.get(pointer) ?? ajv.compile({ $ref: `document#${pointer}` });
  validators.set(pointer, isValid);
  if (!isValid(value)) fail(observed, `does not fit ${pointer}: ${ajv.errorsText(isValid.errors)}`);
}

function resolved<Item extends Referable>(item: Item): Item {
  if (item.$ref === undefined) return item;
  const steps = item.$ref.slice(2).split('/');
  return steps.reduce<unknown>((place, step) => (place as Record<string, unknown>)[step], document) as Item;
}

function isJson({ headers }: ObservedResponse): boolean {
  return headers.get('content-type')?.startsWith('application/json') ?? false;
}

function patternOf(path: string, { servers = document.servers }: DocumentedPath): RegExp {
  const bases = servers.map(({ url }) => new URL(url).pathname.replace(/\/$/, ''));
  const whole = `(?:${bases.join('|')})${path}`;
  return new RegExp(`^${whole.replaceAll('.', '\\.').replaceAll(/\{[^}]+\}/g, '[^/]+')}$`);
}

/** Escapes a key as a step of a JSON pointer in a URI. */
function escaped(key: string): string {
  return encodeURIComponent(key.replaceAll('~', '~0').replaceAll('/', '~1'));
}

function fail({ method, url, status, text }: ObservedResponse, problem: string): never {
  const { pathname } = new URL(url);
  throw new Error(`The response to ${method} ${pathname}, ${status}, ${problem}. It says: ${text.slice(0, 500)}`);
}
