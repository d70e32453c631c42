import { createHash } from 'node:crypto';
import { DEMO_USERS, SettleError, type CreatePayment, type Scope } from '@settle/contracts';
import {
  FORM,
  aliceProfile,
  call as callUrl,
  cardOf,
  post,
  settled,
  startGatewayUnderTest,
  type Answer,
  type GatewayUnderTest,
} from '../test/gateway.fixture.js';

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
const everyScope: Scope[] = ['make_payments', 'access_profile', 'access_email', 'access_balance', 'access_friends'];
const scopesByToken = new Map<string, Scope[]>([
  [sha256('all'), everyScope],
  [sha256('profile'), ['access_profile']],
  [sha256('payer'), ['make_payments']],
]);
const bob = DEMO_USERS.bob.id;

let gateway: GatewayUnderTest;
beforeAll(async () => {
  gateway = await startGatewayUnderTest((hash) => scopesByToken.get(hash) ?? null);
});
afterAll(() => gateway.close());

const call = (path: string, init?: RequestInit): Promise<Answer> => callUrl(gateway.url + path, init);

describe('payments', () => {
  it.each<[string, string, RequestInit]>([
    ['a form', '/v1/payments', post(`access_token=all&user_id=${bob}&note=hi&amount=-0.10`, FORM)],
    [
      'JSON',
      '/v1/payments',
      post(`{"access_token":"all","user_id":${bob},"note":"hi","amount":-0.10}`, 'application/json'),
    ],
    ['a query', `/v1/payments?access_token=all&user_id=${bob}&note=hi&amount=-0.1`, { method: 'POST' }],
  ])(
    'given a charge in %s, when it is posted, then the command carries it and 200 shows it',
    async (_name, path, init) => {
      const commands: CreatePayment[] = [];
      gateway.answers.createPayment = (command) => {
        commands.push(command);
        return Promise.resolve({ payment: settled(command), balanceCents: 4_990 });
      };
      const { status, json } = await call(path, init);
      expect(status).toBe(200);
      expect(commands).toEqual([
        expect.objectContaining({
          action: 'charge',
          amountCents: 10,
          target: { type: 'user', value: bob },
          audience: null,
        }),
      ]);
      expect(json.data).toMatchObject({
        balance: 49.9,
        payment: { id: commands[0]?.paymentId, amount: -0.1, fee: null },
      });
    },
  );

  // Shows error-45
  it('given no answer from payments, when it is posted, then 504 names the payment and has no Retry-After', async () => {
    let paymentId = '';
    gateway.answers.createPayment = (command) => {
      paymentId = command.paymentId;
      return Promise.reject(new SettleError('outcome_unknown', 'late'));
    };
    const answer = await call('/v1/payments', post(`access_token=payer&user_id=${bob}&note=hi&amount=1`, FORM));
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([504, null]);
    expect(answer.json.error?.message).toContain(paymentId);
  });

  // Shows error-44
  it('given a full service, when it is asked, then 503 says when to come again', async () => {
    gateway.answers['listPayments'] = () => Promise.reject(new SettleError('service_unavailable', 'full'));
    const answer = await call('/v1/payments?access_token=all');
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '1']);
  });

  // Shows payment-30
  it('given a further page, when a list is read, then next holds cursor and filters but no token', async () => {
    const page = { payments: [], next: { beforeUs: 1_700_000_000_000_001, beforeId: null } };
    gateway.answers['listPayments'] = () => Promise.resolve(page);
    const { json } = await call('/v1/payments?access_token=all&limit=999&status=settled,pending&after=2020-01-01');
    const next =
      'http://localhost:3000/v1/payments?limit=50&before=2023-11-14T22%3A13%3A20.000001Z&status=settled,pending&after=2020-01-01';
    expect(json).toEqual({ pagination: { next }, data: [] });
  });

  it('given an action on a request, when it is put as a FORM, then the result leaves fee, refund and medium out', async () => {
    gateway.answers['actOnPayment'] = (command: CreatePayment) =>
      Promise.resolve(
        settled({ ...command, action: 'charge', amountCents: 5, note: 'x', target: { type: 'user', value: bob } }),
      );
    const body = { ...post('action=approve', FORM, { authorization: 'bearer payer' }), method: 'PUT' };
    const { status, json } = await call(`/v1/payments/${bob}`, body);
    expect(status).toBe(200);
    expect(json.data).not.toHaveProperty('fee');
    expect(json.data).toMatchObject({ id: bob, status: 'settled', amount: -0.05 });
  });
});

describe('people', () => {
  it('given scopes, when GET /me is asked, then balance, e-mail and phone follow them', async () => {
    gateway.answers['getProfile'] = () => Promise.resolve(aliceProfile);
    gateway.answers['getBalance'] = () => Promise.resolve({ balanceCents: 10_000 });
    const rich = await call('/v1/me', { headers: { authorization: 'Bearer all' } });
    expect(rich.json.data).toMatchObject({ balance: 100, user: { email: 'alice@example.com', phone: null } });
    const poor = await call('/v1/me', { headers: { authorization: 'Bearer profile' } });
    expect(poor.json.data).toMatchObject({ balance: null, user: { email: null, phone: null, is_friend: null } });
  });

  it('given more friends, when a page is read, then next goes on after the last', async () => {
    gateway.answers['listFriends'] = () => Promise.resolve({ friends: [cardOf('bob')], hasMore: true });
    const { json } = await call(`/v1/users/${bob}/friends?access_token=profile&limit=1`);
    const next = `http://localhost:3000/v1/users/${bob}/friends?after=${bob}&limit=1`;
    expect(json).toMatchObject({ pagination: { next }, data: [{ id: bob, username: 'bob' }] });
  });
});

describe('pages of friends', () => {
  it.each([
    [undefined, 20],
    ['1', 1],
    ['50', 50],
    ['51', 50],
    ['100000', 50],
  ])('given the limit %p, when friends are asked for, then %i are', async (limit, expected) => {
    let asked: unknown;
    gateway.answers['listFriends'] = (query: { limit: number }) => {
      asked = query.limit;
      return Promise.resolve({ friends: [], hasMore: false });
    };
    await call(`/v1/users/${bob}/friends?access_token=profile${limit === undefined ? '' : `&limit=${limit}`}`);
    expect(asked).toBe(expected);
  });
});

describe('tokens', () => {
  // Shows authorize-34
  it('given a kept answer, when the token is revoked, then the next call is refused at once', async () => {
    scopesByToken.set(sha256('short'), ['access_profile']);
    gateway.answers['getProfile'] = () => Promise.resolve(aliceProfile);
    const me = async (): Promise<number> => (await call('/v1/me?access_token=short')).status;
    await gateway.revoke();
    expect(await me()).toBe(200);
    const before = gateway.tokenChecks();
    await gateway.revoke();
    expect([await me(), gateway.tokenChecks() - before]).toEqual([200, 0]);
    scopesByToken.delete(sha256('short'));
    await gateway.revoke(sha256('short'));
    expect(await me()).toBe(401);
  });
});

describe('pages', () => {
  it('given the home page, when it is asked for, then that is passed on, and nothing else that no route takes', async () => {
    expect((await call('/')).status).toBe(200);
    expect(gateway.pageRequests.at(-1)?.url).toBe('/');
    const passedOn = gateway.pageRequests.length;
    expect((await call('/nothing')).status).toBe(404);
    expect(gateway.pageRequests).toHaveLength(passedOn);
  });

  it('given a page request, when it is forwarded, then only its forwarding headers are replaced', async () => {
    const headers = {
      'content-type': FORM,
      'x-forwarded-for': '6.6.6.6',
      forwarded: 'for=6.6.6.6',
      'x-request-id': 'mine',
    };
    const answer = await call('/v1/oauth/authorize?a=%20b', { method: 'POST', body: 'x=1&x=2', headers });
    const seen = gateway.pageRequests.at(-1);
    expect([answer.status, answer.headers.get('cache-control'), answer.headers.get('set-cookie')]).toEqual([
      200,
      'max-age=5',
      'a=b',
    ]);
    expect([seen?.url, seen?.body]).toEqual(['/v1/oauth/authorize?a=%20b', 'x=1&x=2']);
    expect(seen?.headers).toMatchObject({
      'x-forwarded-for': '127.0.0.1',
      'x-request-id': answer.headers.get('x-request-id'),
    });
    expect(seen?.headers).not.toHaveProperty('forwarded');
  });

  it('given a proxy in front that is trusted, when it says whence a request came, then that is believed', async () => {
    const behind = await startGatewayUnderTest(() => null, { trustedProxies: 1 });
    await fetch(`${behind.url}/account`, { headers: { 'x-forwarded-for': '6.6.6.6, 7.7.7.7' } });
    expect(behind.pageRequests.at(-1)?.headers['x-forwarded-for']).toBe('7.7.7.7');
    await behind.close();
  });

  it.each([
    '/developers',
    '/developers/callback?x=1',
    '/account',
    '/account/friends',
    '/.well-known/x',
    '/dev/mailbox',
  ])('given %s, when it is asked for, then auth-service answers', async (path) => {
    await call(path);
    expect(gateway.pageRequests.at(-1)?.url).toBe(path);
  });
});
