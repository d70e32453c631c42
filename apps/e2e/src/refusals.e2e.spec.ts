import { ERROR_CATALOGUE, type ErrorCode, type Scope } from '@settle/contracts';
import { type CallOptions, call, type Fields, sandboxUrl } from './client.js';
import { type TestUser, loadDemoUser } from './users.js';
import { loadToken } from './sign-in.js';
import { keysOf } from './wire.js';

const MADE_UP_ID = '1234567890123456789';

describe('rejected requests', () => {
  let alice: TestUser;
  let bob: TestUser;

  beforeAll(async () => {
    [alice, bob] = await Promise.all([loadDemoUser('alice'), loadDemoUser('bob')]);
  });

  const expectRefusal = async (path: string, request: CallOptions, code: ErrorCode) => {
    const { status, body, text } = await call(path, request);
    // Shows error-2
    expect({ status, code: body.error?.code, text }).toEqual({ status: ERROR_CATALOGUE[code].status, code, text });
    expect([keysOf(body), keysOf(body.error)]).toEqual([['error'], ['code', 'message']]);
    expect(body.error.message).not.toBe('');
    return body.error.message;
  };

  const badPays: { why: string; fields: Fields; code: ErrorCode }[] = [
    ...[
      '1e2',
      'NaN',
      '0x1',
      '1,00',
      '.5',
      '1.',
      '01',
      ' 1',
      '1 ',
      '+1',
      '--1',
      '-',
      '0',
      '0.00',
      '-0',
      '0.001',
      '3000',
      '2999.991',
      '-3000',
      'Infinity',
      '١',
      '1_000',
    ].map((amount) => ({ why: `the amount is "${amount}"`, fields: { amount }, code: 'invalid_amount' as const })),
    // Shows parameter-36
    { why: 'there is no amount', fields: { amount: undefined }, code: 'missing_parameter' },
    // Shows parameter-35
    { why: 'there is no note', fields: { note: undefined }, code: 'missing_parameter' },
    { why: 'the note is blank', fields: { note: '   ' }, code: 'invalid_note' },
    { why: 'the note has 281 characters', fields: { note: 'x'.repeat(281) }, code: 'invalid_note' },
    { why: 'the note has a control character', fields: { note: 'a\u0007b' }, code: 'invalid_note' },
    // Shows parameter-37
    { why: 'the audience is unknown', fields: { audience: 'everyone' }, code: 'invalid_audience' },
    // Shows parameter-1
    { why: 'there is no target', fields: { user_id: undefined }, code: 'missing_parameter' },
    // Shows parameter-2
    { why: 'there are two targets', fields: { email: 'x@example.com' }, code: 'invalid_target' },
    {
      why: 'the e-mail address is invalid',
      fields: { user_id: undefined, email: 'no-address' },
      code: 'invalid_email',
    },
    { why: 'the e-mail address has no domain', fields: { user_id: undefined, email: 'a@b' }, code: 'invalid_email' },
    { why: 'the phone number is too short', fields: { user_id: undefined, phone: '415555' }, code: 'invalid_phone' },
    { why: 'the phone number is Canadian', fields: { user_id: undefined, phone: '4165550123' }, code: 'invalid_phone' },
    {
      why: 'the phone number is British',
      fields: { user_id: undefined, phone: '+442071838750' },
      code: 'invalid_phone',
    },
    // Shows parameter-3
    { why: 'the user id is unknown', fields: { user_id: MADE_UP_ID }, code: 'resource_not_found' },
  ];

  it.each(badPays)('given that $why, when a payment is sent, then $code', async ({ fields, code }) => {
    const form = { user_id: bob.id, note: 'n', amount: '0.01', ...fields };
    const before = await alice.balanceCents();
    await expectRefusal('/payments', { method: 'POST', token: alice.token, form }, code);
    expect(await alice.balanceCents()).toBe(before);
  });

  // Shows create-16
  it.each(['user_id', 'email', 'phone'] as const)(
    'given the payer’s own %s as the target, when the payment is sent, then cannot_pay_self',
    async (name) => {
      const own = { user_id: alice.id, email: alice.email, phone: alice.phone }[name];
      for (const amount of ['0.01', '-0.01']) {
        const form = { [name]: own, note: 'n', amount };
        await expectRefusal('/payments', { method: 'POST', token: alice.token, form }, 'cannot_pay_self');
      }
    },
  );

  const badQueries: { path: string; query: Fields; code: ErrorCode }[] = [
    ...['-1', 'abc', '1.5', '1e1', ' 5'].map((limit) => ({
      path: '/payments',
      query: { limit },
      code: 'invalid_limit' as const,
    })),
    // Shows parameter-53
    { path: '/payments', query: { status: 'settled,done' }, code: 'invalid_status' },
    // Shows parameter-54
    { path: '/payments', query: { action: 'refund' }, code: 'invalid_action' },
    { path: '/payments', query: { actor: 'alice' }, code: 'invalid_request' },
    ...['yesterday', '2026-13-01', '2026-02-30', '20260131', '1700000000', '2026-01-31T25:00:00Z'].flatMap((date) => [
      { path: '/payments', query: { before: date }, code: 'invalid_date' as const },
      { path: '/payments', query: { after: date }, code: 'invalid_date' as const },
    ]),
  ];

  it.each(badQueries)('given the query $query, when $path is requested, then $code', async ({ path, query, code }) => {
    await expectRefusal(path, { token: alice.token, query }, code);
  });

  // Shows parameter-46
  it('given an invalid limit, when the friends list is requested, then invalid_limit', async () => {
    await expectRefusal(`/users/${alice.id}/friends`, { token: alice.token, query: { limit: '-1' } }, 'invalid_limit');
  });

  // Shows parameter-57
  it('given no action or an unknown one, when a PUT is sent, then it is rejected', async () => {
    const path = `/payments/${MADE_UP_ID}`;
    await expectRefusal(path, { method: 'PUT', token: alice.token, form: {} }, 'missing_parameter');
    await expectRefusal(path, { method: 'PUT', token: alice.token, form: { action: 'refund' } }, 'invalid_action');
  });

  const badBodies: { why: string; raw: { type: string; text: string }; code: ErrorCode }[] = [
    // Shows request-17
    { why: 'plain text', raw: { type: 'text/plain', text: 'amount=1' }, code: 'unsupported_media_type' },
    // Shows request-17
    { why: 'XML', raw: { type: 'application/xml', text: '<a/>' }, code: 'unsupported_media_type' },
    { why: 'broken JSON', raw: { type: 'application/json', text: '{"amount":' }, code: 'invalid_request' },
    { why: 'a JSON array', raw: { type: 'application/json', text: '[1]' }, code: 'invalid_request' },
    { why: 'a JSON string', raw: { type: 'application/json', text: '"x"' }, code: 'invalid_request' },
    { why: 'JSON null', raw: { type: 'application/json', text: 'null' }, code: 'invalid_request' },
  ];

  it.each(badBodies)('given a body that is $why, when it is sent with any token, then $code', async ({ raw, code }) => {
    await expectRefusal('/payments', { method: 'POST', token: alice.token, raw }, code);
    await expectRefusal('/payments', { method: 'POST', raw }, code);
  });

  const calls: { method: string; path: string }[] = [
    { method: 'GET', path: '/me' },
    { method: 'GET', path: `/users/${MADE_UP_ID}` },
    { method: 'GET', path: `/users/${MADE_UP_ID}/friends` },
    { method: 'GET', path: '/payments' },
    { method: 'GET', path: `/payments/${MADE_UP_ID}` },
    { method: 'POST', path: '/payments' },
    { method: 'PUT', path: `/payments/${MADE_UP_ID}` },
  ];

  // Shows endpoint-1, scope-11
  it.each(calls)(
    'given no token or an unknown one, when $method $path is requested, then 401',
    async ({ method, path }) => {
      const form = method === 'GET' ? {} : { form: { amount: 'bad', action: 'bad' } };
      await expectRefusal(path, { method, ...form }, 'missing_token');
      const token = 'a'.repeat(43);
      const message = await expectRefusal(path, { method, token, ...form }, 'invalid_token');
      expect(message).not.toContain(token);
      const { headers } = await call(path, { method });
      expect(headers.get('www-authenticate')).toMatch(/^Bearer/);
    },
  );

  const lacking: { method: string; path: string; scopes: readonly Scope[] }[] = [
    { method: 'GET', path: '/me', scopes: ['make_payments', 'access_email'] },
    { method: 'GET', path: `/users/${MADE_UP_ID}`, scopes: ['make_payments'] },
    { method: 'GET', path: `/users/${MADE_UP_ID}/friends`, scopes: ['make_payments'] },
    { method: 'GET', path: '/payments', scopes: ['access_friends', 'access_balance'] },
    { method: 'GET', path: `/payments/${MADE_UP_ID}`, scopes: ['access_friends'] },
    { method: 'POST', path: '/payments', scopes: ['access_profile', 'access_payment_history'] },
    { method: 'PUT', path: `/payments/${MADE_UP_ID}`, scopes: ['access_profile', 'access_payment_history'] },
  ];

  // Shows scope-10
  it.each(lacking)(
    'given the scopes $scopes, when $method $path is requested, then insufficient_scope comes before all other errors',
    async (row) => {
      const token = await loadToken('alice', row.scopes);
      const form = row.method === 'GET' ? {} : { form: { amount: 'bad', action: 'bad' } };
      await expectRefusal(row.path, { method: row.method, token, ...form }, 'insufficient_scope');
    },
  );

  const wrongMethods = [
    { method: 'POST', path: '/me', allow: ['GET'] },
    { method: 'DELETE', path: '/payments', allow: ['GET', 'POST'] },
    { method: 'PATCH', path: `/payments/${MADE_UP_ID}`, allow: ['GET', 'PUT'] },
    { method: 'PUT', path: `/users/${MADE_UP_ID}`, allow: ['GET'] },
    { method: 'POST', path: `/users/${MADE_UP_ID}/friends`, allow: ['GET'] },
  ];

  // Shows request-43
  it.each(wrongMethods)(
    'given the path $path, when $method is used on it, then 405 and Allow names $allow',
    async ({ method, path, allow }) => {
      await expectRefusal(path, { method }, 'method_not_allowed');
      const { headers } = await call(path, { method });
      const allowed = (headers.get('allow') ?? '').split(/\s*,\s*/);
      for (const one of allow) expect(allowed).toContain(one);
      expect(allowed).not.toContain(method);
    },
  );

  // Shows request-42
  it.each(['/nowhere', '/payments/1/2', '/sandbox', '/oauth/nothing'])(
    'given an unknown %s, when it is requested, then 404',
    async (path) => {
      await expectRefusal(path, {}, 'resource_not_found');
    },
  );

  it.each(['/nowhere', '/oauth/nothing', '/payments/1/2'])(
    'given a %s that the sandbox does not have, when it is requested, then 404',
    async (path) => {
      await expectRefusal(sandboxUrl() + path, { token: alice.token }, 'resource_not_found');
    },
  );

  // Shows parameter-42, endpoint-41, endpoint-42
  it('given a payment of other users, when it is read, then the response is that of an unknown id', async () => {
    const { body } = await alice.send({ user_id: bob.id }, '0.01');
    const carol = await loadDemoUser('carol');
    const strange = await carol.read(body.data.payment.id);
    const madeUp = await carol.read(MADE_UP_ID);
    expect([strange.status, strange.text]).toEqual([404, madeUp.text]);
    for (const id of ['abc', '0', '1'.repeat(30)]) expect((await carol.read(id)).status).toBe(404);
  });

  // Shows endpoint-13, endpoint-17
  it('given an unknown user, when the user or the user’s friends are requested, then 404', async () => {
    await expectRefusal(`/users/${MADE_UP_ID}`, { token: alice.token }, 'resource_not_found');
    await expectRefusal(`/users/${MADE_UP_ID}/friends`, { token: alice.token }, 'resource_not_found');
  });
});
