import { DEMO_APP, DEMO_USERS } from '@settle/contracts';
import fc from 'fast-check';
import { resolveSchema, type Field, type Operation } from './documented-operations.js';
import type { RawRequest } from './raw-call.js';
import { mutations } from './mutations.js';

/**
 * Like `TOKEN-` with a name, this is a placeholder for a value that is known when the request is sent, so that a printed
 * request contains no token. `TOKEN-spare` may be revoked; operations on tokens get no other.
 */
export const PAYMENT = /PAYMENT-(\d+)/g;

const FORM = 'application/x-www-form-urlencoded';
const JSON_TYPE = 'application/json';
const payment = fc.nat({ max: 40 }).map((at) => `PAYMENT-${at}`);
const userId = fc.constantFrom(...Object.values(DEMO_USERS).map(({ id }) => id), '1852942305918484482');
const address = fc.nat({ max: 999 }).map((n) => String(n).padStart(4, '0'));

/** Valid values of fields that the document describes in words. */
const BY_NAME: Readonly<Record<string, fc.Arbitrary<string | number>>> = {
  payment,
  user_id: userId,
  actor: fc.array(userId, { minLength: 1, maxLength: 3 }).map((ids) => ids.join()),
  before_id: userId,
  email: fc.oneof(
    address.map((n) => `fuzz.${n}@example.com`),
    fc.constantFrom('Bob@Example.com', 'alice@example.com'),
  ),
  phone: fc.oneof(
    address.map((n) => `(415) 556-${n}`),
    fc.constantFrom('+14155550102', 4155550103),
  ),
  note: fc.oneof(fc.constantFrom('lunch', 'déjeuner 🥗'), fc.string({ minLength: 1, maxLength: 40, unit: 'grapheme' })),
  amount: fc.constantFrom('0.01', '-0.01', 0.02, -1.5, '-2.50', '2999.99', '1.00'),
  limit: fc.integer({ min: 1, max: 60 }),
  client_id: fc.constant(DEMO_APP.clientId),
  client_secret: fc.constant(DEMO_APP.clientSecret),
  token: fc.constantFrom('TOKEN-spare', 'never-issued'),
  scope: fc.constantFrom('make_payments', 'access_profile access_email', 'make_payments,access_friends'),
  state: fc.string(),
};

const strange = fc.constantFrom(
  ...['', ' ', '0', '-0', '1e2', 'NaN', '0x1', '1,00', '-', '9'.repeat(30), '000000000000000001', '1.000', '0.001'],
  ...[
    'null',
    'true',
    '[]',
    '{}',
    'settled,',
    ',',
    'pay',
    'yesterday',
    '2026-02-30',
    '2026-01-31T25:00:00Z',
    '0000-01-01',
  ],
  ...['+1 (416) 555-0101', 'a@', '@b', 'a@b@c', "'; drop table payments; --", '%', '%zz', '\u0000', 'a\u0000b', '\r\n'],
  ...['\ud800', '\u202e', '\ufeff', 'İ', 'x'.repeat(281), '../..', '__proto__', 'constructor'],
);
const wrong: fc.Arbitrary<unknown> = fc.oneof(strange, fc.string({ unit: 'binary' }), fc.jsonValue(), fc.double());

function goodValue({ name, schema: given }: Field): fc.Arbitrary<unknown> {
  const schema = resolveSchema(given);
  const byName = BY_NAME[name];
  if (byName !== undefined) return byName;
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  const choices = schema.items === undefined ? undefined : resolveSchema(schema.items).enum;
  if (choices !== undefined)
    return fc.uniqueArray(fc.constantFrom(...choices), { minLength: 1 }).map((all) => all.join());
  return schema.examples === undefined ? fc.string() : fc.constantFrom(...schema.examples);
}

/** One of three ways to name a target is right. The others, and optional fields, are mostly left out. */
function fieldOf(field: Field): fc.Arbitrary<readonly [string, unknown][]> {
  const there = (value: unknown): [string, unknown][] => [[field.name, value]];
  return fc.oneof(
    { weight: field.isRequired ? 30 : 6, arbitrary: goodValue(field).map(there) },
    { weight: field.isRequired ? 1 : 12, arbitrary: fc.constant([]) },
    { weight: 1, arbitrary: wrong.map(there) },
  );
}

const TARGETS = ['user_id', 'email', 'phone'];

function fieldsOf({ fields }: Operation): fc.Arbitrary<readonly [string, unknown][]> {
  const ways = fields.filter(({ name }) => TARGETS.includes(name));
  const others = fields.filter((field) => !ways.includes(field));
  const one =
    ways.length === 0 ? fc.constant([]) : fc.oneof(...ways.map((way) => fieldOf({ ...way, isRequired: true })));
  return fc.tuple(one, ...others.map(fieldOf)).map((parts) => parts.flat());
}

const encodeAsText = (value: unknown): string => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''));
const octets = (text: string): string => Buffer.from(text, 'utf8').toString('latin1');

function urlEncoded(fields: readonly (readonly [string, unknown])[]): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of fields) parameters.append(name, encodeAsText(value));
  return parameters.toString();
}

interface EncodedPayment {
  readonly operation: Operation;
  readonly path: string;
  readonly fields: readonly (readonly [string, unknown])[];
  readonly token: string | null;
  readonly tokenPlaces: readonly ('header' | 'query' | 'body')[];
  readonly bodyAs: 'form' | 'json' | 'query';
  readonly key: string | null;
}

function write({ operation, path, fields, token, tokenPlaces, bodyAs, key }: EncodedPayment): RawRequest {
  const isInQuery = !operation.takesBody || bodyAs === 'query';
  const inPlace = (place: string): [string, unknown][] =>
    token !== null && tokenPlaces.some((each) => each === place) ? [['access_token', token]] : [];
  const query = urlEncoded([...(isInQuery ? fields : []), ...inPlace('query')]);
  const inBody = [...(isInQuery ? [] : fields), ...inPlace('body')];
  const body = bodyAs === 'json' ? JSON.stringify(Object.fromEntries(inBody)) : urlEncoded(inBody);
  const hasBody = operation.takesBody && inBody.length > 0;
  const headers: [string, string][] = [];
  if (token !== null && tokenPlaces.includes('header')) headers.push(['authorization', `Bearer ${token}`]);
  if (hasBody) headers.push(['content-type', bodyAs === 'json' ? JSON_TYPE : FORM]);
  if (key !== null) headers.push(['idempotency-key', key]);
  const target = query === '' ? path : `${path}?${query}`;
  return { method: operation.method, target, headers, body: hasBody ? octets(body) : '' };
}

function pathOf(operation: Operation): fc.Arbitrary<string> {
  const steps = operation.path.split('/').map((step) => {
    const name = /^\{(.+)\}$/.exec(step)?.[1];
    if (name === undefined) return fc.constant(step);
    const good = goodValue({ name, isRequired: true, schema: {} }).map(String);
    const bad = fc.oneof(strange, fc.string({ unit: 'binary' })).map((text) => urlEncoded([['', text]]).slice(1));
    return fc.oneof({ weight: 20, arbitrary: good }, { weight: 1, arbitrary: bad });
  });
  return fc.tuple(...steps).map((parts) => parts.join('/'));
}

function tokenPlacesOf({ takesBody }: Operation): fc.Arbitrary<EncodedPayment['tokenPlaces']> {
  const places = ['header', 'query', ...(takesBody ? (['body'] as const) : [])] as const;
  return fc.oneof(
    { weight: 20, arbitrary: fc.constantFrom(...places).map((place) => [place]) },
    { weight: 1, arbitrary: fc.constant(places) },
  );
}

/** Generates a request of this operation that is valid or nearly valid. */
function requestOf(operation: Operation): fc.Arbitrary<RawRequest> {
  const key = fc.nat({ max: 99 }).map((n) => `fuzz-${n}`);
  return fc
    .record({
      operation: fc.constant(operation),
      path: pathOf(operation),
      fields: fieldsOf(operation),
      token: operation.path.includes('/oauth/')
        ? fc.constantFrom(null, 'TOKEN-spare', 'never-issued')
        : fc.oneof(
            { weight: 30, arbitrary: fc.constantFrom('TOKEN-alice', 'TOKEN-bob') },
            { weight: 2, arbitrary: fc.constantFrom(null, 'TOKEN-profile', 'never-issued') },
          ),
      tokenPlaces: tokenPlacesOf(operation),
      bodyAs: fc.constantFrom<EncodedPayment['bodyAs'][]>('form', 'form', 'json', 'json', 'query'),
      key: operation.takesKey ? fc.option(key, { freq: 3 }) : fc.constant(null),
    })
    .map(write);
}

/** Generates requests of all operations: half of them unchanged, the others mutated. */
export function fuzzedRequests(operations: readonly Operation[]): fc.Arbitrary<RawRequest> {
  return fc
    .tuple(
      fc.oneof(
        ...operations.map((operation) => ({ weight: operation.takesBody ? 2 : 1, arbitrary: requestOf(operation) })),
      ),
      fc.oneof(fc.constant([]), fc.array(mutations, { minLength: 1, maxLength: 3 })),
    )
    .map(([request, changes]) => changes.reduce((changed, change) => change(changed), request));
}
