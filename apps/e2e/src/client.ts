import { expectDocumented } from './documented-responses.js';

/** The body of any response of the API. A spec reads only the parts that it expects. */
export interface Body<Data> {
  readonly data: Data;
  readonly pagination: { readonly next: string | null };
  readonly error: { readonly message: string; readonly code: string };
}

export interface ApiResponse<Data> {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly body: Body<Data>;
}

export type Fields = Readonly<Record<string, string | number | undefined>>;

export interface CallOptions {
  readonly method?: string;
  /** Is sent as a Bearer header; `query`, `form` and `json` may contain a token instead. */
  readonly token?: string | undefined;
  readonly query?: Fields;
  readonly form?: Fields;
  readonly json?: unknown;
  /** A literal body with its media type. */
  readonly raw?: { readonly type: string; readonly text: string };
  readonly headers?: Readonly<Record<string, string>>;
}

const CALL_TIMEOUT_MS = 20_000;

/** Returns the address under test, ending with `/v1`. */
export function baseUrl(): string {
  const url = process.env.BASE_URL;
  if (url === undefined) throw new Error('The e2e setup has not run: BASE_URL is not set.');
  return url;
}

/** Returns the address of the sandbox, ending with `/sandbox/v1`. */
export function sandboxUrl(): string {
  return new URL('/sandbox/v1', baseUrl()).href;
}

export function encode(fields: Fields): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(fields)) if (value !== undefined) parameters.set(name, String(value));
  return parameters.toString();
}

function bodyOf({ form, json, raw }: CallOptions): { type: string; text: string } | null {
  if (raw !== undefined) return raw;
  if (json !== undefined) return { type: 'application/json', text: JSON.stringify(json) };
  if (form !== undefined) return { type: 'application/x-www-form-urlencoded', text: encode(form) };
  return null;
}

/** Calls `path` (below the base URL, or absolute) and reads the whole response, which must match the OpenAPI document. Does not follow redirects. */
export async function call<Data>(path: string, options: CallOptions = {}): Promise<ApiResponse<Data>> {
  const url = path.startsWith('http') ? path : baseUrl() + path;
  const query = options.query === undefined ? '' : `${url.includes('?') ? '&' : '?'}${encode(options.query)}`;
  const body = bodyOf(options);
  const method = options.method ?? 'GET';
  const response = await fetch(url + query, {
    method,
    redirect: 'manual',
    headers: {
      ...(options.token === undefined ? {} : { authorization: `Bearer ${options.token}` }),
      ...(body === null ? {} : { 'content-type': body.type }),
      ...options.headers,
    },
    signal: AbortSignal.timeout(CALL_TIMEOUT_MS),
    ...(body === null ? {} : { body: body.text }),
  });
  const text = await response.text();
  expectDocumented({ method, url, status: response.status, headers: response.headers, text });
  const isJson = response.headers.get('content-type')?.includes('application/json') === true && text !== '';
  const parsed = (isJson ? JSON.parse(text) : {}) as Body<Data>;
  return { status: response.status, headers: response.headers, text, body: sayWhyNoData(parsed, response.status) };
}

/** Returns what an error response says: its status and its code. */
export function refusalOf({ status, body }: Pick<ApiResponse<unknown>, 'status' | 'body'>): readonly [number, string] {
  return [status, body.error.code];
}

/** Returns null for a connection that broke and for a response that did not come, as when a process is killed. Rejects with any other error. */
export function nullIfBroken(error: unknown): null {
  // The names that `fetch` gives to the two.
  if (['TypeError', 'TimeoutError'].includes((error as Error).name)) return null;
  throw error;
}

/** Makes a spec that reads `data` of an error response fail with that error. */
function sayWhyNoData<Data>(body: Body<Data>, status: number): Body<Data> {
  if ('data' in body) return body;
  const get = (): never => {
    throw new Error(`The response has no data, its status is ${status}: ${JSON.stringify(body)}`);
  };
  return Object.defineProperty(body, 'data', { get, enumerable: false }) as Body<Data>;
}
