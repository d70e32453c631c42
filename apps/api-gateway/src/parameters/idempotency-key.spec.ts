import fc from 'fast-check';
import { idempotencyOf, requestHash } from './idempotency-key.js';
import { parseJsonObject } from '@settle/lifecycle';
import { paymentParameters, readPaymentRequest } from './payment-request.js';
import { parseForm } from './request-parameters.js';

const TABLE = paymentParameters(299_999);
const RUNS = 500;

const request = (key?: string | string[], method = 'POST', url = '/v1/payments') =>
  ({
    method,
    headers: key === undefined ? {} : { 'idempotency-key': key },
    routeOptions: { url },
  }) as unknown as Parameters<typeof idempotencyOf>[0];

const hashOf = (asked: object) => requestHash({ method: 'POST', route: '/v1/payments', asked });
const read = (parameters: Parameters<typeof readPaymentRequest>[0]) => readPaymentRequest(parameters, TABLE);

/** The fields of one payment in any order, and its amount as cents. */
const payment = fc
  .record({
    user_id: fc.constantFrom('1852942301724180481', '1852942305918484482'),
    note: fc.constantFrom('lunch', 'l\u{1F355}', '"},{', '0.10'),
    cents: fc.integer({ min: 1, max: 500 }),
    sign: fc.constantFrom('', '-'),
    audience: fc.constantFrom('public', 'friends', 'private', undefined),
  })
  .map(({ cents, sign, audience, ...rest }) => ({
    amount: `${sign}${Math.floor(cents / 100)}.${String(cents % 100).padStart(2, '0')}`,
    ...rest,
    ...(audience === undefined ? {} : { audience }),
  }));

const shuffled = (fields: Record<string, string>) =>
  fc.shuffledSubarray(Object.keys(fields), { minLength: Object.keys(fields).length }).map((names) => names);

const asForm = (fields: Record<string, string>, names: readonly string[]) =>
  parseForm(names.map((name) => `${name}=${encodeURIComponent(fields[name] ?? '')}`).join('&'));
/** Its amount as a number, without the zeros that say nothing. */
const asJson = (fields: Record<string, string>, names: readonly string[]) =>
  parseJsonObject(
    `{${names.map((name) => `${JSON.stringify(name)}:${name === 'amount' ? Number(fields[name]) : JSON.stringify(fields[name])}`).join(',')}}`,
  );

describe('what makes two requests the same', () => {
  it('given one payment, when it is sent as form and as JSON in any order, then its hash is one', () => {
    const sent = payment.chain((fields) => fc.tuple(fc.constant(fields), shuffled(fields), shuffled(fields)));
    fc.assert(
      fc.property(sent, ([fields, formNames, jsonNames]) => {
        expect(hashOf(read(asJson(fields, jsonNames)))).toBe(hashOf(read(asForm(fields, formNames))));
      }),
      { numRuns: RUNS },
    );
  });

  it('given two payments, when they differ, then their hashes do', () => {
    fc.assert(
      fc.property(payment, payment, (one, other) => {
        const [first, second] = [read(one), read(other)];
        const areEqual = JSON.stringify(first) === JSON.stringify(second);
        expect(hashOf(first) === hashOf(second)).toBe(areEqual);
      }),
      { numRuns: RUNS },
    );
  });

  it('given the same parameters, when method or route differ, then it is another request', () => {
    const asked = { action: 'approve', paymentId: '1' };
    const hashes = [request('k', 'PUT'), request('k', 'POST'), request('k', 'PUT', '/v1/other')].map(
      (sent) => idempotencyOf(sent, asked).idempotency?.requestHash,
    );
    expect(new Set(hashes).size).toBe(3);
  });
});

describe('the header', () => {
  it('given none, when it is read, then nothing is added to the command', () => {
    expect(idempotencyOf(request(), {})).toEqual({});
  });

  it.each(['k', '!~', 'k'.repeat(255), '5f4a2c1e-7a55-4a9c-9a43-0d6c4f7f0001'])(
    'given %p, then it is the key',
    (key) => {
      expect(idempotencyOf(request(key), {}).idempotency?.key).toBe(key);
    },
  );

  it.each(['', ' ', 'a b', 'a, b', 'k'.repeat(256), 'ü', 'a\u007f', ['a', 'b']])(
    'given %p, then it is refused',
    (key) => {
      const refused = expect.objectContaining({ code: 'invalid_request' }) as Error;
      expect(() => idempotencyOf(request(key), {})).toThrow(refused);
    },
  );
});
