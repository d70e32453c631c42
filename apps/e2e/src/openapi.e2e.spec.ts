import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DEMO_APP, ERROR_CATALOGUE, type ErrorCode } from '@settle/contracts';
import { type CallOptions, baseUrl, call } from './client.js';
import { type TestUser, loadDemoUser } from './users.js';
import { openSignedInBrowser } from './developer.js';
import { authorizeUrl, loadToken } from './sign-in.js';

const printed = readFileSync(join(import.meta.dirname, '../../../docs/openapi.json'), 'utf8');
const { components } = JSON.parse(printed) as {
  components: { examples: Record<ErrorCode, { value: { error: { message: string; code: string } } }> };
};
const KIB = 1_024;

describe('the OpenAPI document', () => {
  let alice: TestUser;
  let carol: TestUser;

  beforeAll(async () => {
    [alice, carol] = await Promise.all([loadDemoUser('alice'), loadDemoUser('carol')]);
  });

  const expectExample = async (code: ErrorCode, path: string, request: CallOptions) => {
    const { status, body } = await call(path, request);
    expect([status, body]).toEqual([ERROR_CATALOGUE[code].status, components.examples[code].value]);
  };

  // Shows endpoint-8, limit-29
  it('given the product, when the OpenAPI document is requested, then it is the committed one with this server’s address', async () => {
    const { origin } = new URL(baseUrl());
    const response = await fetch(`${origin}/openapi.json`);
    const served: unknown = await response.json();
    expect(served).toEqual(JSON.parse(printed.replaceAll('http://localhost:3000', origin)));
  });

  // Shows limit-30
  it('given the product, when /docs is opened, then the page and all its resources come from the product', async () => {
    const { origin } = new URL(baseUrl());
    const html = await (await fetch(`${origin}/docs`)).text();
    const loaded = [...html.matchAll(/(?:src|href)="(\/[^"]+)"/g)].map(([, path]) => path);
    const statuses = await Promise.all(loaded.map(async (path) => (await fetch(origin + path)).status));
    expect(statuses).toEqual([200, 200, 200, 200, 200]);
  });

  const pay = (change: CallOptions['form']): CallOptions => ({
    method: 'POST',
    form: { email: 'examples@example.com', note: 'n', amount: '0.01', ...change },
  });
  const commonErrors: [ErrorCode, string, CallOptions][] = [
    // Shows error-10
    ['missing_parameter', '/payments', pay({ amount: undefined })],
    // Shows error-11
    ['invalid_amount', '/payments', pay({ amount: '1e2' })],
    // Shows error-12
    ['invalid_note', '/payments', pay({ note: ' ' })],
    // Shows error-13
    ['invalid_audience', '/payments', pay({ audience: 'all' })],
    // Shows error-14
    ['invalid_target', '/payments', pay({ email: undefined, user_id: 'bob' })],
    // Shows error-15
    ['invalid_email', '/payments', pay({ email: 'bob' })],
    // Shows error-16
    ['invalid_phone', '/payments', pay({ email: undefined, phone: '1' })],
    // Shows error-17
    ['invalid_limit', '/payments', { query: { limit: 'all' } }],
    // Shows error-18
    ['invalid_date', '/payments', { query: { before: 'yesterday' } }],
    // Shows error-19
    ['invalid_status', '/payments', { query: { status: 'done' } }],
    // Shows error-20
    ['invalid_action', '/payments/2235351801266466090', { method: 'PUT', form: { action: 'pay' } }],
    // Shows error-33
    ['resource_not_found', '/payments/2235351801266466090', {}],
    // Shows error-34
    ['method_not_allowed', '/payments', { method: 'DELETE' }],
    // Shows error-9
    ['invalid_request', '/payments', { method: 'POST', raw: { type: 'application/json', text: '{' } }],
    // Shows request-31, error-37
    ['payload_too_large', '/payments', pay({ note: 'x'.repeat(65 * KIB) })],
    // Shows request-32, error-38
    ['uri_too_long', '/payments', { query: { x: 'x'.repeat(9 * KIB) } }],
    // Shows error-39
    ['unsupported_media_type', '/payments', { method: 'POST', raw: { type: 'text/plain', text: 'x' } }],
    // Shows request-33, error-42
    ['headers_too_large', '/payments', { headers: { 'x-large': 'x'.repeat(17 * KIB) } }],
  ];

  // Shows error-3
  it.each(commonErrors)(
    'given the example of %s, when the error is provoked, then the response equals it',
    async (code, path, request) => {
      await expectExample(code, path, { token: alice.token, ...request });
    },
  );

  // Shows error-25, error-26, error-29
  it('given the examples of tokens, when the requests are sent, then the responses equal them', async () => {
    await expectExample('missing_token', '/me', {});
    await expectExample('invalid_token', '/me', { token: 'never-issued' });
    const token = await loadToken('alice', ['access_profile']);
    await expectExample('insufficient_scope', '/payments', { ...pay({}), token });
  });

  // Shows error-21, error-22, error-35
  it('given the examples of payments, when the requests are sent, then the responses equal them', async () => {
    await expectExample('cannot_pay_self', '/payments', { ...pay({ email: alice.email }), token: alice.token });
    const charge = await alice.send({ user_id: carol.id }, '-2999.99');
    const path = `/payments/${charge.body.data.payment.id}`;
    const approve = { method: 'PUT', form: { action: 'approve' }, token: carol.token };
    await expectExample('insufficient_funds', path, approve);
    await call(path, { method: 'PUT', form: { action: 'cancel' }, token: alice.token });
    const paid = await alice.send({ user_id: carol.id }, '0.01');
    await carol.send({ user_id: alice.id }, '0.01');
    const cancel = { method: 'PUT', form: { action: 'cancel' }, token: alice.token };
    await expectExample('payment_not_pending', `/payments/${paid.body.data.payment.id}`, cancel);
  });

  // Shows error-40
  it('given a key, when another request uses it, then the response equals the example', async () => {
    const headers = { 'idempotency-key': `examples-${process.hrtime.bigint()}` };
    const first = await call(`/payments`, { ...pay({ amount: '-0.01' }), token: alice.token, headers });
    expect(first.status).toBe(200);
    await expectExample('idempotency_key_reused', '/payments', { ...pay({}), token: alice.token, headers });
  });

  it.each([
    ['invalid_grant', { client_secret: DEMO_APP.clientSecret, code: 'never-issued' }],
    ['invalid_client', { client_secret: 'guess', code: 'x' }],
    ['unsupported_grant_type', { client_secret: DEMO_APP.clientSecret, grant_type: 'password' }],
  ] as const)(
    'given the example of %s, when an app provokes the error, then the response equals it',
    async (code, fields) => {
      const form = { client_id: DEMO_APP.clientId, ...fields };
      await expectExample(code, '/oauth/access_token', { method: 'POST', form });
    },
  );

  // Shows authorize-15, error-23, error-24
  it.each([
    ['invalid_scope', { scope: 'everything' }],
    ['unsupported_response_type', { scope: 'make_payments', response_type: 'id_token' }],
  ] as const)(
    'given the example of %s, when an app provokes it, then the response equals it',
    async (code, request) => {
      const { url } = await (await openSignedInBrowser('alice')).open(authorizeUrl(request));
      const told = { code: url.searchParams.get('error'), message: url.searchParams.get('error_description') };
      expect({ error: told }).toEqual(components.examples[code].value);
    },
  );
});
