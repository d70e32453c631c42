import fc from 'fast-check';
import type { RawRequest } from './raw-call.js';

type Mutation = (request: RawRequest) => RawRequest;
type Header = readonly [name: string, value: string];

const KIB = 1_024;
const byte = fc.integer({ min: 0, max: 255 }).map((code) => String.fromCharCode(code));
const at = (text: string, place: number): number => (text.length === 0 ? 0 : place % (text.length + 1));
const inserted = (text: string, place: number, what: string): string =>
  text.slice(0, at(text, place)) + what + text.slice(at(text, place));

/** Makes a text that fits in a request line. The gateway's own spec sends arbitrary octets. */
const sendable = (text: string): string =>
  text.replace(/[^!-~]/g, (char) => `%${char.charCodeAt(0).toString(16).padStart(2, '0')}`);

const changed =
  (change: (request: RawRequest) => Partial<RawRequest>): Mutation =>
  (request) => ({ ...request, ...change(request) });
const withHeader = ([name, value]: Header): Mutation =>
  changed(({ headers }) => ({ headers: [...headers.filter(([given]) => given !== name), [name, value]] }));
const onTarget = (change: (path: string, query: string) => string): Mutation =>
  changed(({ target }) => {
    const [path = '', ...query] = target.split('?');
    return { target: sendable(change(path, query.join('?'))) };
  });

const method = fc
  .constantFrom('GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'HEAD', 'OPTIONS', 'PROPFIND', 'QUERY', 'TRACE')
  .map((other) => changed(() => ({ method: other })));
const pathEnd = fc
  .constantFrom('/', '//', '/x', '%', '%2F', '%00', '%ff', ';a=b', '.', '%20', '\\', '/%2e%2e')
  .map((end) => onTarget((path, query) => `${path}${end}?${query}`));
const pathCase = fc.constant(onTarget((path, query) => `${path.toUpperCase()}?${query}`));
const pathByte = fc
  .tuple(fc.nat(), byte)
  .map(([place, what]) =>
    onTarget((path, query) => `/${inserted(path.slice(1), place, what.replace(/[?#/.\\]/, 'x'))}?${query}`),
  );
const queryByte = fc
  .tuple(fc.nat(), byte)
  .map(([place, what]) => onTarget((path, query) => `${path}?${inserted(query, place, what)}`));
const queryEnd = fc
  .constantFrom(
    'limit=0',
    'limit=5&limit=6',
    'access_token=x',
    'a[b]=1',
    'amount',
    '=',
    '&&&',
    '%',
    'x=%ff',
    'x=%00',
    'before_id=1',
  )
  .map((end) => onTarget((path, query) => `${path}?${query}&${end}`));
const longQuery = fc.constant(onTarget((path, query) => `${path}?${query}&x=${'x'.repeat(9 * KIB)}`));

const header = fc
  .constantFrom<Header[]>(
    ['authorization', 'Basic eA=='],
    ['authorization', 'Bearer'],
    ['authorization', 'bearer  TOKEN-spare'],
    ['authorization', 'Bearer TOKEN-spare, Bearer TOKEN-spare'],
    ['content-type', 'application/json; charset=utf-8'],
    ['content-type', 'application/json; charset=latin1'],
    ['content-type', 'application/x-www-form-urlencoded; charset=utf-16'],
    ['content-type', 'APPLICATION/JSON'],
    ['content-type', 'multipart/form-data; boundary=x'],
    ['content-type', 'text/plain'],
    ['content-type', ''],
    ['content-type', 'application/json, text/html'],
    ['content-encoding', 'gzip'],
    ['content-encoding', 'identity'],
    ['idempotency-key', ''],
    ['idempotency-key', 'two words'],
    ['idempotency-key', 'x'.repeat(256)],
    ['accept', 'text/html;q=0.1, application/xml'],
    ['origin', 'https://elsewhere.example'],
    ['cookie', 'a=b; __Host-session=x'],
    ['x-http-method-override', 'DELETE'],
    ['x-forwarded-host', 'elsewhere.example'],
    ['x-request-id', 'mine\u00e9'],
    ['range', 'bytes=0-1'],
    ['if-none-match', '*'],
    ['x-large', 'x'.repeat(17 * KIB)],
  )
  .map(withHeader);
const noHeader = fc
  .constantFrom('authorization', 'content-type')
  .map((name) => changed(({ headers }) => ({ headers: headers.filter(([given]) => given !== name) })));

const bodyByte = fc
  .tuple(fc.nat(), byte)
  .map(([place, what]) => changed(({ body }) => ({ body: inserted(body, place, what) })));
const bodyCut = fc.nat().map((place) => changed(({ body }) => ({ body: body.slice(0, at(body, place)) })));
const bodyWrapped = fc
  .constantFrom<[string, string][]>(['[', ']'], ['{"a":', '}'], ['', '}'], ['{"amount":1,', ''], [' '.repeat(3), '\n'])
  .map(([before, after]) => changed(({ body }) => ({ body: before + body + after })));
const bodyTwice = fc.constantFrom('', '&').map((between) => changed(({ body }) => ({ body: body + between + body })));
const bodyDeep = fc
  .integer({ min: 14, max: 40 })
  .map((depth) => changed(() => ({ body: `{"a":${'['.repeat(depth)}${']'.repeat(depth)}}` })));
const bodyLong = fc.constant(changed(({ body }) => ({ body: body + ' '.repeat(65 * KIB) })));

/** Mutations of a request. */
export const mutations: fc.Arbitrary<Mutation> = fc.oneof(
  ...[method, pathEnd, pathCase, pathByte, queryByte, queryEnd, longQuery].map((arbitrary) => ({
    weight: 2,
    arbitrary,
  })),
  ...[header, noHeader].map((arbitrary) => ({ weight: 5, arbitrary })),
  ...[bodyByte, bodyCut, bodyWrapped, bodyTwice, bodyDeep].map((arbitrary) => ({ weight: 3, arbitrary })),
  { weight: 1, arbitrary: bodyLong },
);
