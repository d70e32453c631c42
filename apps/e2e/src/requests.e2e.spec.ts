import { once } from 'node:events';
import { type IncomingMessage, request as httpRequest } from 'node:http';
import { text as textOf } from 'node:stream/consumers';
import { baseUrl, type Body, type CallOptions, call, encode } from './client.js';
import { type TestUser, loadDemoUser } from './users.js';
import { loadToken } from './sign-in.js';
import type { WireCreated, WirePayment } from './wire.js';

const FORM_TYPE = 'application/x-www-form-urlencoded';

describe('how a request may be written', () => {
  let alice: TestUser;
  let bob: TestUser;

  beforeAll(async () => {
    [alice, bob] = await Promise.all([loadDemoUser('alice'), loadDemoUser('bob')]);
  });

  const pay = () => ({ user_id: bob.id, note: 'written', amount: '0.01' });
  const post = (request: CallOptions) => call<WireCreated>('/payments', { method: 'POST', ...request });

  const places: { place: string; request: () => CallOptions }[] = [
    // Shows request-1
    { place: 'the query', request: () => ({ query: { access_token: alice.token }, form: pay() }) },
    // Shows request-2, request-10
    { place: 'a form field', request: () => ({ form: { ...pay(), access_token: alice.token } }) },
    // Shows request-3, request-10
    { place: 'a JSON field', request: () => ({ json: { ...pay(), access_token: alice.token } }) },
    // Shows request-4
    { place: 'the Authorization header', request: () => ({ token: alice.token, form: pay() }) },
    { place: 'the header, with the parameters in the query', request: () => ({ token: alice.token, query: pay() }) },
    {
      // Shows request-12
      place: 'the query, with the parameters there too',
      request: () => ({ query: { ...pay(), access_token: alice.token } }),
    },
  ];

  // Shows endpoint-3
  it.each(places)('given the token in $place, when a payment is sent, then it settles', async ({ request }) => {
    const { status, body } = await post(request());
    expect([status, body.data.payment.status]).toEqual([200, 'settled']);
    expect(body.data.payment.amount).toBe(0.01);
  });

  const doubled: { places: string; request: () => CallOptions }[] = [
    {
      places: 'query and header',
      request: () => ({ query: { access_token: alice.token }, token: alice.token, form: pay() }),
    },
    {
      places: 'query and form',
      request: () => ({ query: { access_token: alice.token }, form: { ...pay(), access_token: alice.token } }),
    },
    {
      places: 'form and header',
      request: () => ({ token: alice.token, form: { ...pay(), access_token: alice.token } }),
    },
    {
      places: 'JSON and header',
      request: () => ({ token: alice.token, json: { ...pay(), access_token: alice.token } }),
    },
  ];

  // Shows request-6
  it.each(doubled)(
    'given the token in $places at once, when a request is sent, then it is rejected',
    async ({ request }) => {
      const { status, body } = await post(request());
      expect([status, body.error.code]).toEqual([400, 'invalid_request']);
    },
  );

  // Shows request-1, request-7, endpoint-38, payment-27, payment-28
  it('given a GET with the token in the query, when it is sent, then it is accepted and next does not contain the token', async () => {
    for (let made = 0; made < 2; made += 1) await alice.send({ user_id: bob.id }, '0.01');
    const { status, body, text } = await call<WirePayment[]>('/payments', {
      query: { access_token: alice.token, limit: 1 },
    });
    expect(status).toBe(200);
    expect(body.pagination.next).toMatch(/^https?:\/\//);
    expect(text).not.toContain(alice.token);
    expect(text).not.toContain('access_token');
    const next = await call<WirePayment[]>(`${body.pagination.next}&access_token=${alice.token}`);
    expect([next.status, next.body.data.length]).toEqual([200, 1]);
    expect(next.body.data[0]?.id).not.toBe(body.data[0]?.id);
  });

  it.each([
    { amount: 0.01, as: 'a JSON number' },
    { amount: '0.01', as: 'a JSON string' },
  ])('given JSON with the amount as $as, when it is sent, then it is paid', async ({ amount }) => {
    const { status, body } = await post({ token: alice.token, json: { ...pay(), amount } });
    expect([status, body.data.payment.amount]).toEqual([200, 0.01]);
  });

  it.each(['0.10000', '1.00', '-0.10'])(
    'given the JSON number %s, when it is sent, then its text decides',
    async (amount) => {
      const text = `{"user_id":"${bob.id}","note":"n","amount":${amount}}`;
      const { status, body } = await post({ token: alice.token, raw: { type: 'application/json', text } });
      expect([status, body.data.payment.amount]).toEqual([200, Number(amount)]);
    },
  );

  it.each(['0.001', '1e0', '1E2', '3000', '0', '-0', '0.00'])(
    'given the JSON number %s, when it is sent, then it is rejected',
    async (amount) => {
      const text = `{"user_id":"${bob.id}","note":"n","amount":${amount}}`;
      const { status, body } = await post({ token: alice.token, raw: { type: 'application/json', text } });
      expect([status, body.error.code]).toEqual([400, 'invalid_amount']);
    },
  );

  // Shows request-14
  it('given a media type with a charset, when it is sent, then it is accepted', async () => {
    const raw = {
      type: 'application/json; charset=utf-8',
      text: JSON.stringify({ ...pay(), note: 'ünïcode ☕' }),
    };
    expect((await post({ token: alice.token, raw })).body.data.payment.note).toBe('ünïcode ☕');
  });

  // Shows request-21
  it('given unknown parameters, when they are sent, then they are ignored', async () => {
    const { status } = await post({ token: alice.token, form: { ...pay(), color: 'blue' }, query: { v: '2' } });
    expect(status).toBe(200);
    expect((await call('/me', { token: alice.token, query: { fields: 'id' } })).status).toBe(200);
  });

  const encodings: { as: string; request: (token: string) => CallOptions }[] = [
    { as: 'a form', request: (token) => ({ token, form: { action: 'deny' } }) },
    { as: 'JSON', request: (token) => ({ token, json: { action: 'deny' } }) },
    // Shows request-5
    { as: 'a form with the token', request: (token) => ({ form: { action: 'deny', access_token: token } }) },
    // Shows request-5
    { as: 'JSON with the token', request: (token) => ({ json: { action: 'deny', access_token: token } }) },
    // Shows request-13
    { as: 'a query with the token', request: (token) => ({ query: { action: 'deny', access_token: token } }) },
  ];

  // Shows request-11
  it.each(encodings)('given a PUT as $as, when it is sent, then it is accepted', async ({ request }) => {
    const { body } = await bob.send({ user_id: alice.id }, '-0.01');
    const response = await call<WirePayment>(`/payments/${body.data.payment.id}`, {
      method: 'PUT',
      ...request(alice.token),
    });
    expect([response.status, response.body.data.status]).toEqual([200, 'cancelled']);
  });

  // Shows request-44
  it('given HEAD, when it is sent, then the status is that of GET and there is no body', async () => {
    const { status, text } = await call('/me', { method: 'HEAD', token: alice.token });
    expect([status, text]).toEqual([200, '']);
  });

  // Shows request-45
  it.each([
    { path: '/me', allow: ['GET'] },
    { path: '/payments', allow: ['GET', 'POST'] },
    { path: '/payments/1234567890123456789', allow: ['GET', 'PUT'] },
  ])('given the path $path, when OPTIONS is sent, then 204 and the methods $allow', async ({ path, allow }) => {
    const { status, headers } = await call(path, { method: 'OPTIONS' });
    expect(status).toBe(204);
    for (const method of allow) expect(headers.get('allow')).toContain(method);
  });

  it.each([
    // Shows request-48
    ['authorization', () => `Bearer ${alice.token}`],
    // Shows request-48
    ['host', () => new URL(baseUrl()).host],
    // Shows key-5
    ['idempotency-key', () => 'once'],
  ])('given the header %s twice, when it is sent, then the request is rejected', async (name, value) => {
    const form = { authorization: `Bearer ${alice.token}`, host: 'a.example', 'content-type': FORM_TYPE };
    const headers = [...Object.entries({ ...form, [name]: value() }), [name, value()]].flat();
    const sent = httpRequest(`${baseUrl()}/payments`, { method: 'POST', headers }).end(encode(pay()));
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    const { error } = JSON.parse(await textOf(response)) as Body<never>;
    expect([response.statusCode, error.code]).toEqual([400, 'invalid_request']);
  });

  // Shows scope-5
  it('given a token that may read but not pay, when the user is read, then it succeeds', async () => {
    const token = await loadToken('alice', ['access_payment_history']);
    expect((await call('/payments', { token })).status).toBe(200);
    expect((await call('/me', { token })).status).toBe(403);
  });
});
