import { apiForTest, ok, type ReceivedRequest, type Reply, stopApis } from '../test/scripted-api.fixture.js';

/** The address by which other hosts reach the product. */
const PUBLIC = 'https://settle.example.com/v1/payments';

function threePages({ url }: ReceivedRequest): Reply {
  const at = Number(new URL(url, PUBLIC).searchParams.get('before_id') ?? 0);
  const next = at < 2 ? `${PUBLIC}?status=settled%2Cpending&limit=2&before_id=${at + 1}` : null;
  return ok({
    pagination: { next },
    data: [
      { id: `${at}a`, amount: -0.1 },
      { id: `${at}b`, amount: 1234567890.12 },
    ],
  });
}

afterEach(stopApis);

describe('a list', () => {
  it('given several pages, when it is iterated over, then every entry comes once and only the address of the client is called', async () => {
    const api = await apiForTest(threePages);
    const list = api.client().payments.list({ status: ['settled', 'pending'], limit: 2 });
    const ids: string[] = [];
    for await (const { id } of list) ids.push(id);
    expect(ids).toEqual(['0a', '0b', '1a', '1b', '2a', '2b']);
    expect(api.received.map(({ url }) => url)).toEqual([
      '/v1/payments?status=settled%2Cpending&limit=2',
      '/v1/payments?status=settled%2Cpending&limit=2&before_id=1',
      '/v1/payments?status=settled%2Cpending&limit=2&before_id=2',
    ]);
  });

  it('given a caller that stops within the first page, when the iteration ends, then no other page was read', async () => {
    const api = await apiForTest(threePages);
    const list = api.client().payments.list();
    for (let time = 0; time < 2; time += 1) for await (const { id } of list) if (id === '0b') break;
    expect(api.received.map(({ url }) => url)).toEqual(['/v1/payments', '/v1/payments']);
  });

  it('given pages, when they are read as such, then amounts are decimal strings of two places', async () => {
    const api = await apiForTest(threePages);
    const pages = [];
    for await (const page of api.client().payments.list().pages()) pages.push(page.map(({ amount }) => amount));
    expect(pages).toEqual(Array(3).fill(['-0.10', '1234567890.12']));
  });

  it('given a user, when the friends are listed, then the path names the user and the query is sent', async () => {
    const api = await apiForTest(() => ok({ pagination: { next: null }, data: [{ id: '2' }] }));
    const friends = [];
    for await (const friend of api.client().users.listFriends('1/2', { after: '1', limit: 5 })) friends.push(friend.id);
    expect([friends, api.received[0]?.url]).toEqual([['2'], '/v1/users/1%2F2/friends?after=1&limit=5']);
  });
});

describe('one resource', () => {
  it('given a payment with a fee and a refund, when it is read, then each amount is a string and null stays null', async () => {
    const refund = { id: '2', amount: 5, fee: null, refund: null };
    const api = await apiForTest(() => ok({ data: { id: '1', amount: 5.5, fee: 0.05, refund, note: '5.5' } }));
    expect(await api.client().payments.get('1')).toEqual({
      ...{ id: '1', amount: '5.50', fee: '0.05', note: '5.5' },
      refund: { id: '2', amount: '5.00', fee: null, refund: null },
    });
  });

  it('given each action, when a payment is changed, then it is sent by PUT with a key', async () => {
    const api = await apiForTest(() => ok({ data: { id: '1' } }));
    const { payments, users } = api.client();
    for (const act of ['approve', 'deny', 'cancel'] as const) await payments[act]('1');
    await users.get('7');
    expect(
      api.received.map(({ method, url, body, headers }) => [method, url, body, typeof headers['idempotency-key']]),
    ).toEqual([
      ...['approve', 'deny', 'cancel'].map((action) => ['PUT', '/v1/payments/1', `{"action":"${action}"}`, 'string']),
      ['GET', '/v1/users/7', '', 'undefined'],
    ]);
  });
});
