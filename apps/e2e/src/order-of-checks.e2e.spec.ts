import type { ErrorCode, Scope } from '@settle/contracts';
import { type CallOptions, call } from './client.js';
import { FORM_TYPE, raw, step, type Step } from './rejected-requests.fixture.js';
import { type TestUser, loadDemoUser } from './users.js';
import { loadToken } from './sign-in.js';
import { keysOf, type WirePayment } from './wire.js';

const MADE_UP_ID = '1234567890123456789';
const TOO_LARGE = 'x'.repeat(70_000);
const TOO_LONG = `?x=${'y'.repeat(9_000)}`;

describe('requests with more than one fault', () => {
  let alice: TestUser;
  let bob: TestUser;
  /** A charge of bob that alice has denied, and one that is pending. */
  let denied: WirePayment;
  let pending: WirePayment;
  const tokens = { reading: '', paying: '', friends: '' };

  beforeAll(async () => {
    [alice, bob] = await Promise.all([loadDemoUser('alice'), loadDemoUser('bob')]);
    const draw = (...scopes: Scope[]) => loadToken('alice', scopes);
    tokens.reading = await draw('access_profile');
    tokens.paying = await draw('make_payments');
    tokens.friends = await draw('access_friends');
    denied = (await bob.send({ user_id: alice.id }, '-0.01')).body.data.payment;
    expect((await alice.act(denied.id, 'deny')).status).toBe(200);
    pending = (await bob.send({ user_id: alice.id }, '-0.01')).body.data.payment;
  });
  afterAll(() => bob.act(pending.id, 'cancel'));

  /** Each request has the named fault and those of all following rows. */
  const ofReading = (path: string, [token, lacking]: [string, string], badQuery = 'x=1', bad?: ErrorCode): Step[] => [
    step('resource_not_found', 404, `${path}/no/where${TOO_LONG}&x=%zz`, { method: 'DELETE' }),
    step('method_not_allowed', 405, `${path}${TOO_LONG}&x=%zz`, { method: 'DELETE', ...raw(TOO_LARGE, 'text/xml') }),
    step('uri_too_long', 414, `${path}${TOO_LONG}&x=%zz`, {}),
    step('invalid_request', 400, `${path}?${badQuery}&x=%zz`, {}),
    step('missing_token', 401, `${path}?${badQuery}`, {}),
    step('invalid_token', 401, `${path}?${badQuery}`, { token: 'x'.repeat(43) }),
    step('insufficient_scope', 403, `${path}?${badQuery}`, { token: lacking }),
    ...(bad === undefined ? [] : [step(bad, 400, `${path}?${badQuery}`, { token })]),
  ];

  const ofWriting = (method: string, path: string, bad: string, code: ErrorCode): Step[] => [
    step('resource_not_found', 404, `${path}/no/where`, { method: 'DELETE', ...raw(TOO_LARGE, 'text/xml') }),
    step('method_not_allowed', 405, path, { method: 'DELETE', ...raw(TOO_LARGE, 'text/xml') }),
    step('payload_too_large', 413, path, { method, ...raw(TOO_LARGE, 'text/xml') }),
    step('unsupported_media_type', 415, path, { method, ...raw(`${bad}&x=%zz`, 'text/xml') }),
    step('invalid_request', 400, path, { method, ...raw(`${bad}&x=%zz`) }),
    step('missing_token', 401, path, { method, ...raw(bad) }),
    step('invalid_token', 401, path, { method, token: 'x'.repeat(43), ...raw(bad) }),
    step('insufficient_scope', 403, path, { method, token: tokens.reading, ...raw(bad) }),
    step(code, 400, path, { method, token: tokens.paying, ...raw(bad) }),
  ];

  const act = (id: string, action: string, user: TestUser): [string, CallOptions] => [
    `/payments/${id}`,
    { method: 'PUT', token: user.token, form: { action } },
  ];

  const routes: Record<string, () => Step[]> = {
    // Shows request-35
    'GET /me': () => ofReading('/me', [tokens.reading, tokens.paying]),
    // Shows request-36
    'GET /users/:user_id': () => [
      ...ofReading(`/users/${MADE_UP_ID}`, [tokens.reading, tokens.paying]),
      step('resource_not_found', 404, `/users/${MADE_UP_ID}`, { token: tokens.reading }),
    ],
    // Shows request-37
    'GET /users/:user_id/friends': () => [
      ...ofReading(`/users/${MADE_UP_ID}/friends`, [tokens.reading, tokens.paying], 'limit=x', 'invalid_limit'),
      step('resource_not_found', 404, `/users/${MADE_UP_ID}/friends`, { token: tokens.reading }),
    ],
    // Shows request-38
    'GET /payments': () => ofReading('/payments', [tokens.reading, tokens.friends], 'before=soon', 'invalid_date'),
    // Shows request-39
    'GET /payments/:payment': () => [
      ...ofReading(`/payments/${MADE_UP_ID}`, [tokens.reading, tokens.friends]),
      step('resource_not_found', 404, `/payments/${MADE_UP_ID}`, { token: tokens.reading }),
    ],
    // Shows request-40
    'POST /payments': () => [
      ...ofWriting('POST', '/payments', `user_id=${MADE_UP_ID}&note=n&amount=1e2`, 'invalid_amount'),
      step('resource_not_found', 404, '/payments', {
        method: 'POST',
        token: tokens.paying,
        ...raw(`user_id=${MADE_UP_ID}&note=n&amount=1`),
      }),
    ],
    // Shows request-41
    'PUT /payments/:payment': () => [
      ...ofWriting('PUT', `/payments/${MADE_UP_ID}`, 'action=refund', 'invalid_action'),
      step('invalid_action', 400, ...act(denied.id, 'refund', bob)),
      step('resource_not_found', 404, ...act(MADE_UP_ID, 'approve', alice)),
      step('not_permitted', 403, ...act(denied.id, 'approve', bob)),
      step('payment_not_pending', 409, ...act(denied.id, 'approve', alice)),
    ],
  };

  // Shows endpoint-4, error-1, error-8, limit-3
  it.each(Object.keys(routes))(
    'given %s, when the errors are corrected one by one, then the response names the next',
    async (name) => {
      const before = await Promise.all([alice.balanceCents(), bob.balanceCents()]);
      for (const { code, status, path, request } of routes[name]?.() ?? []) {
        const response = await call(path, request);
        expect([path.slice(0, 60), response.status, response.body.error?.code]).toEqual([
          path.slice(0, 60),
          status,
          code,
        ]);
        expect([keysOf(response.body), keysOf(response.body.error)]).toEqual([['error'], ['code', 'message']]);
        expect(response.headers.has('allow')).toBe(status === 405);
        expect(response.headers.has('www-authenticate')).toBe(status === 401 || code === 'insufficient_scope');
      }
      expect(await Promise.all([alice.balanceCents(), bob.balanceCents()])).toEqual(before);
    },
  );

  const everywhere = () => [
    { method: 'GET', path: '/me' },
    { method: 'GET', path: `/users/${bob.id}` },
    { method: 'GET', path: `/users/${bob.id}/friends` },
    { method: 'GET', path: '/payments' },
    { method: 'GET', path: `/payments/${pending.id}` },
    { method: 'POST', path: '/payments' },
    { method: 'PUT', path: `/payments/${pending.id}` },
  ];

  const brokenQueries: [why: string, query: string, names: string][] = [
    // Shows request-24
    ['a repeated parameter', 'limit=1&limit=1', 'limit'],
    // Shows request-24
    ['a repeated parameter, escaped', 'limit=1&%6cimit=1', 'limit'],
    ['a repeated parameter without value', 'limit&limit', 'limit'],
    // Shows request-29
    ['a broken escape', 'note=%zz', 'note'],
    // Shows request-29
    ['a truncated escape', 'note=%4', 'note'],
    // Shows request-27
    ['bytes that are not UTF-8', 'note=%c3%28', 'note'],
    // Shows request-27
    ['a surrogate', 'note=%ed%a0%80', 'note'],
    // Shows request-28
    ['a NUL', 'note=a%00', 'note'],
    // Shows request-28
    ['a NUL in a name', 'a%00=1', 'A parameter'],
    // Shows request-30
    ['too many parameters', Array.from({ length: 257 }, (_, index) => `p${index}`).join('&'), '256'],
  ];

  it.each(brokenQueries)(
    'given %s in the query, when it is sent to any endpoint, then it is rejected',
    async (_why, query, names) => {
      for (const { method, path } of everywhere()) {
        const { status, body } = await call(`${path}?${query}`, { method, token: alice.token });
        expect([path, status, body.error?.code]).toEqual([path, 400, 'invalid_request']);
        expect(body.error.message).toContain(names);
      }
    },
  );

  const deep = (levels: number) => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;
  const brokenBodies: [why: string, type: string, text: string, names: string][] = [
    ...brokenQueries.map(([why, query, names]) => [`${why} in a form`, FORM_TYPE, query, names] as const),
    // Shows request-26
    ['a duplicate key', '{"note":"a","amount":1,"note":"b"}', 'note'] as const,
    ['a duplicate key with one value', '{"note":"a","note":"a"}', 'note'] as const,
    // Shows request-26
    ['a duplicate key in another spelling', '{"note":"a","n\\u006fte":"a"}', 'note'] as const,
    ['a duplicate key in an inner object', '{"a":[{"note":1,"note":1}]}', 'note'] as const,
    ['a NUL', '{"note":"\\u0000"}', 'note'] as const,
    ['a raw control character', '{"note":"\u0001"}', 'JSON'] as const,
    // Shows request-19
    ['17 levels', deep(17), '16'] as const,
    // Shows request-19
    ['10,000 levels', '['.repeat(10_000), '16'] as const,
    // Shows request-30
    ['257 keys', `{${Array.from({ length: 257 }, (_, index) => `"p${index}":1`).join(',')}}`, '256'] as const,
    // Shows request-18
    ['an array', '[{"note":"n"}]', 'JSON'] as const,
    // Shows request-18
    ['a text', '"note"', 'JSON'] as const,
    // Shows request-18
    ['a number', '1', 'JSON'] as const,
    // Shows request-18
    ['null', 'null', 'JSON'] as const,
    ['a blank', ' ', 'JSON'] as const,
    // Shows request-20
    ['an extra comma', '{"note":"n",}', 'JSON'] as const,
    ['a comment', '{"note":"n"}//', 'JSON'] as const,
    // Shows request-20
    ['its first half', '{"note":', 'JSON'] as const,
    // Shows request-20
    ['the same JSON twice', '{}{}', 'JSON'] as const,
  ].map((row): [string, string, string, string] =>
    row.length === 4 ? [...row] : [`${row[0]} in JSON`, 'application/json', row[1], row[2]],
  );

  it.each(brokenBodies)(
    'given %s, when it is sent to an endpoint that reads bodies, then it is rejected',
    async (...row) => {
      const [, type, text, names] = row;
      for (const { method, path } of everywhere().filter((route) => route.method !== 'GET')) {
        const { status, body } = await call(path, { method, token: alice.token, ...raw(text, type) });
        expect([path, status, body.error?.code]).toEqual([path, 400, 'invalid_request']);
        expect(body.error.message).toContain(names);
      }
    },
  );

  // Shows request-6, request-7, scope-11, error-7
  it('given the token in two places, when it is sent to any endpoint, then it is rejected and not repeated', async () => {
    const { token } = alice;
    for (const { method, path } of everywhere()) {
      const inBody = method === 'GET' ? [] : [{ form: { access_token: token } }, { json: { access_token: token } }];
      const second = [{ query: { access_token: token } }, ...inBody];
      const both = method === 'GET' ? [] : [{ query: { access_token: token }, form: { access_token: token } }];
      const doubled = { headers: { authorization: `Bearer ${token}, Bearer ${token}` } };
      for (const request of [...second.map((one) => ({ ...one, token })), ...both, doubled]) {
        const { status, body, text } = await call(path, { method, ...request });
        expect([path, status, body.error?.code]).toEqual([path, 400, 'invalid_request']);
        expect(text).not.toContain(token);
      }
    }
  });

  // Shows request-25
  it('given a name in query and body, when it is sent, then it is rejected and named', async () => {
    for (const body of [{ form: { action: 'deny' } }, { json: { action: 'deny' } }]) {
      const path = `/payments/${pending.id}`;
      const response = await call(path, { method: 'PUT', token: alice.token, query: { action: 'deny' }, ...body });
      expect([response.status, response.body.error?.code]).toEqual([400, 'invalid_request']);
      expect(response.body.error.message).toContain('action');
    }
    expect((await alice.read(pending.id)).body.data.status).toBe('pending');
  });

  // Shows request-42
  it('given a path with a trailing slash, when it is requested, then it is not found', async () => {
    for (const { method, path } of everywhere()) {
      const { status, body } = await call(`${path}/`, { method, token: alice.token });
      expect([path, status, body.error?.code]).toEqual([path, 404, 'resource_not_found']);
    }
  });
});
