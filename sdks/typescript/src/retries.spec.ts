import { apiForTest, inTurn, ok, rejection, type Reply, stopApis } from '../test/scripted-api.fixture.js';
import { ConnectionError, OutcomeUnknownError, SettleError } from './index.js';

const PAYMENT = { user_id: '1852942305918484482', amount: '12.50', note: 'Lunch' };
const CREATED = ok({ data: { balance: 87.5, payment: { id: '1', amount: 12.5 } } });
const UNAVAILABLE = rejection(503, 'service_unavailable');
const UNKNOWN = rejection(504, 'outcome_unknown');
const FROM_A_PROXY: Reply = { status: 503, body: '<h1>No upstream</h1>', headers: { 'content-type': 'text/html' } };

/** Returns the error of a promise that must reject. */
const errorOf = (promise: Promise<unknown>): Promise<Error> =>
  promise.then(
    () => {
      throw new Error('It succeeded.');
    },
    (error: Error) => error,
  );

afterEach(stopApis);

describe('a call that is repeated', () => {
  it.each([
    ['503', UNAVAILABLE],
    ['503 of a proxy', FROM_A_PROXY],
    ['504', UNKNOWN],
    ['a closed connection', 'close'],
    ['409 of a request in progress', rejection(409, 'idempotency_in_progress', { 'retry-after': '0' })],
  ] as const)('given %s, when a payment is created, then it is sent again with the same key', async (_, reply) => {
    const api = await apiForTest(inTurn(reply, CREATED));
    const created = await api.client().payments.create(PAYMENT);
    expect(created).toEqual({ balance: '87.50', payment: { id: '1', amount: '12.50' } });
    const keys = api.received.map(({ headers }) => headers['idempotency-key']);
    expect(keys).toEqual([expect.stringMatching(/^[0-9a-f-]{36}$/), keys[0]]);
    expect(api.received.map(({ body }) => JSON.parse(body) as unknown)).toEqual([PAYMENT, PAYMENT]);
  });

  it('given two equal payments, when both are created, then each has a key of its own, unless one is passed', async () => {
    const api = await apiForTest(inTurn(CREATED));
    const { payments } = api.client();
    await payments.create(PAYMENT);
    await payments.create(PAYMENT);
    await payments.approve('1', { idempotencyKey: 'order-7' });
    const keys = api.received.map(({ headers }) => headers['idempotency-key']);
    expect(new Set(keys).size).toBe(3);
    expect(keys[2]).toBe('order-7');
  });

  it('given Retry-After, when a list is read, then the pause is at least that long', async () => {
    const api = await apiForTest(
      inTurn(rejection(503, 'service_unavailable', { 'retry-after': '1' }), ok({ data: { balance: null } })),
    );
    expect(await api.client().me()).toEqual({ balance: null });
    const [first, second] = api.received;
    expect(second!.atMs - first!.atMs).toBeGreaterThanOrEqual(1_000);
    expect(second!.headers['idempotency-key']).toBeUndefined();
  });

  it('given an API that stays unavailable, when a payment is created, then the attempts are bounded and nothing happened', async () => {
    const api = await apiForTest(inTurn(UNAVAILABLE));
    const error = await errorOf(api.client({ maxAttempts: 3 }).payments.create(PAYMENT));
    expect(error).toBeInstanceOf(SettleError);
    expect(error).toMatchObject({ code: 'service_unavailable', status: 503 });
    expect(api.received).toHaveLength(3);
  });
});

describe('a call that is not repeated', () => {
  it.each([
    [400, 'cannot_pay_self'],
    [403, 'not_permitted'],
    [409, 'payment_not_pending'],
    [422, 'idempotency_key_reused'],
    [429, 'rate_limited'],
  ])(
    'given %s %s, when a payment is created, then it is sent once and the error has all fields',
    async (status, code) => {
      const api = await apiForTest(inTurn(rejection(status, code, status === 429 ? { 'retry-after': '30' } : {})));
      const error = await errorOf(api.client().payments.create(PAYMENT));
      expect(error).toBeInstanceOf(SettleError);
      expect(error).toMatchObject({
        ...{ name: 'SettleError', message: `About ${code}.`, status, code },
        ...{ requestId: 'request-1', retryAfterMs: status === 429 ? 30_000 : null },
      });
      expect(api.received).toHaveLength(1);
    },
  );

  it('given a Retry-After beyond the time of the call, when it is made, then it fails at once', async () => {
    const api = await apiForTest(inTurn(rejection(503, 'service_unavailable', { 'retry-after': '3600' })));
    expect(await errorOf(api.client().me())).toMatchObject({ status: 503, retryAfterMs: 3_600_000 });
    expect(api.received).toHaveLength(1);
  });

  it('given a response of something else than the API, when it arrives, then the error says so', async () => {
    const api = await apiForTest(inTurn({ status: 404, body: 'Not here' }));
    expect(await errorOf(api.client().me())).toMatchObject({ code: 'unexpected_response', status: 404 });
  });

  it('given a redirect, when a call is made, then the token is not sent to its target', async () => {
    const other = await apiForTest(inTurn(CREATED));
    const api = await apiForTest(inTurn({ status: 307, body: '', headers: { location: `${other.baseUrl}/me` } }));
    expect(await errorOf(api.client({ maxAttempts: 1 }).me())).toBeInstanceOf(ConnectionError);
    expect(other.received).toEqual([]);
  });
});

describe('a payment whose outcome is unknown', () => {
  it.each([
    ['504', [UNKNOWN, UNKNOWN]],
    ['503 of a proxy', [FROM_A_PROXY, FROM_A_PROXY]],
    ['503, then 500', [UNAVAILABLE, rejection(500, 'internal_error')]],
    ['closed connections', ['close', 'close']],
    ['a closed connection, then a rejection', ['close', rejection(403, 'account_frozen')]],
    ['504, then an API that is unavailable', [UNKNOWN, UNAVAILABLE]],
  ] as const)('given %s, when the attempts end, then the error has the key of the payment', async (_, replies) => {
    const api = await apiForTest(inTurn(...replies));
    const error = await errorOf(api.client({ maxAttempts: 2 }).payments.create(PAYMENT));
    expect(error).toBeInstanceOf(OutcomeUnknownError);
    expect(error).not.toBeInstanceOf(SettleError);
    const [first] = api.received;
    expect(error).toMatchObject({ code: 'outcome_unknown', idempotencyKey: first!.headers['idempotency-key'] });
    expect(error.cause).toBeInstanceOf(replies.at(-1) === 'close' ? ConnectionError : SettleError);
  });

  it('given an API that does not respond, when the time of the call is over, then it fails without waiting longer', async () => {
    const api = await apiForTest(() => 'wait');
    const settle = api.client({ timeoutMs: 400 });
    const startedAtMs = performance.now();
    const [creating, reading] = await Promise.all([errorOf(settle.payments.create(PAYMENT)), errorOf(settle.me())]);
    // An attempt alone may take 10 s.
    expect(performance.now() - startedAtMs).toBeLessThan(8_000);
    expect(creating).toBeInstanceOf(OutcomeUnknownError);
    expect(reading).toBeInstanceOf(ConnectionError);
  });

  it('given no connection at all, when a payment is created, then nothing happened', async () => {
    const api = await apiForTest(() => 'wait');
    const settle = api.client({ maxAttempts: 2 });
    await stopApis();
    const error = await errorOf(settle.payments.create(PAYMENT));
    expect(error).toBeInstanceOf(ConnectionError);
    expect(error).toMatchObject({ code: 'no_response', cause: { cause: { code: 'ECONNREFUSED' } } });
  });
});
