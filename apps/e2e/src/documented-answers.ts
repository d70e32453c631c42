import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';

/** What came back over HTTP. */
export interface Answered {
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

/** What Node and Fastify say of the connection and the body, and what cross-origin rules are made of. */
const OF_TRANSPORT =
  /^(?:connection|keep-alive|date|content-type|content-length|transfer-encoding|vary|access-control-.*)$/;

/** Of the document, which says nothing of itself. */
const OWN_PATH = '/openapi.json';

const document = JSON.parse(readFileSync(join(import.meta.dirname, '../../../docs/openapi.json'), 'utf8')) as Document;
const paths = Object.entries(document.paths).map(([path, item]) => ({ pattern: patternOf(path, item), path, item }));
const ajv = new Ajv2020({ strict: false, multipleOfPrecision: 6 });
formats.default(ajv);
ajv.addSchema({ $id: 'document', ...document }, undefined, undefined, false);
const validators = new Map<string, ValidateFunction>();

/** Throws where an answer is not what `docs/openapi.json` says of it: its status, its headers, its body. */
export function expectDocumented(answered: Answered): void {
  const { pathname } = new URL(answered.url);
  const found = paths.find(({ pattern }) => pattern.test(pathname));
  const method = answered.method === 'HEAD' ? 'get' : answered.method.toLowerCase();
  const operation = found?.item[method] as DocumentedOperation | undefined;
  if (operation !== undefined && found !== undefined) {
    const response = operation.responses[answered.status];
    const pointer = `/paths/${escaped(found.path)}/${method}/responses/${answered.status}`;
    if (response === undefined) return fail(answered, 'has an undocumented status');
    check(answered, response, pointer);
    return refuseOtherHeaders(answered, resolved(response));
  }
  if (answered.method === 'OPTIONS' && answered.status === 204) return;
  if (found === undefined && (!isJson(answered) || pathname === OWN_PATH)) return;
  const response = document.components.responses[answered.status];
  if (response === undefined) fail(answered, 'is documented nowhere');
  else check(answered, response, `/components/responses/${answered.status}`);
}

function check(answered: Answered, response: DocumentedResponse, pointer: string): void {
  const at = response.$ref === undefined ? pointer : response.$ref.slice(1);
  const { headers = {}, content = {} } = resolved(response);
  checkHeaders(answered, headers, at);
  if (answered.method === 'HEAD') return;
  const [mediaType = ''] = (answered.headers.get('content-type') ?? '').split(';');
  if (mediaType === '' && answered.text === '') return;
  if (!Object.hasOwn(content, mediaType)) fail(answered, `has the undocumented media type "${mediaType}"`);
  const body: unknown = isJson(answered) ? JSON.parse(answered.text) : answered.text;
  checkValue(answered, `${at}/content/${escaped(mediaType)}/schema`, body);
}

function checkHeaders(answered: Answered, headers: Readonly<Record<string, DocumentedHeader>>, pointer: string): void {
  for (const [name, given] of Object.entries(headers)) {
    const { required, schema } = resolved(given);
    const text = answered.headers.get(name);
    if (text === null && required === true) fail(answered, `lacks the header ${name}`);
    const at = given.$ref === undefined ? `${pointer}/headers/${name}` : given.$ref.slice(1);
    if (text !== null) checkValue(answered, `${at}/schema`, schema.type === 'integer' ? Number(text) : text);
  }
}

function refuseOtherHeaders(answered: Answered, { headers = {} }: DocumentedResponse): void {
  if (!isJson(answered)) return;
  const known = new Set(Object.keys(headers).map((name) => name.toLowerCase()));
  const others = [...answered.headers.keys()].filter((name) => !known.has(name) && !OF_TRANSPORT.test(name));
  if (others.length > 0) fail(answered, `has the undocumented headers ${others.join(', ')}`);
}

function checkValue(answered: Answered, pointer: string, value: unknown): void {
  const isValid = validators.get(pointer) ?? ajv.compile({ $ref: `document#${pointer}` });
  validators.set(pointer, isValid);
  if (!isValid(value)) fail(answered, `does not fit ${pointer}: ${ajv.errorsText(isValid.errors)}`);
}

function resolved<Item extends Referable>(item: Item): Item {
  if (item.$ref === undefined) return item;
  const steps = item.$ref.slice(2).split('/');
  return steps.reduce<unknown>((place, step) => (place as Record<string, unknown>)[step], document) as Item;
}

function isJson({ headers }: Answered): boolean {
  return headers.get('content-type')?.startsWith('application/json') ?? false;
}

function patternOf(path: string, { servers = document.servers }: DocumentedPath): RegExp {
  const bases = servers.map(({ url }) => new URL(url).pathname.replace(/\/$/, ''));
  const whole = `(?:${bases.join('|')})${path}`;
  return new RegExp(`^${whole.replaceAll('.', '\\.').replaceAll(/\{[^}]+\}/g, '[^/]+')}$`);
}

/** A key as a step of a JSON pointer in a URI. */
function escaped(key: string): string {
  return encodeURIComponent(key.replaceAll('~', '~0').replaceAll('/', '~1'));
}

function fail({ method, url, status, text }: Answered, problem: string): never {
  const { pathname } = new URL(url);
  throw new Error(`The answer to ${method} ${pathname}, ${status}, ${problem}. It says: ${text.slice(0, 500)}`);
}
