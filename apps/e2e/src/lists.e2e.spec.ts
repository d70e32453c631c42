import { call, type Fields } from './client.js';
import { type TestUser, loadDemoUser } from './users.js';
import type { WireParty, WirePayment } from './wire.js';

const MADE = 53;

describe('lists and their pages', () => {
  let alice: TestUser;
  let bob: TestUser;
  let madeIds: string[];
  let since: string;

  beforeAll(async () => {
    [alice, bob] = await Promise.all([loadDemoUser('alice'), loadDemoUser('bob')]);
    madeIds = [];
    for (let made = 0; made < MADE; made += 1) {
      const { body } = await (made % 2 === 0 ? alice : bob).send(
        { user_id: (made % 2 === 0 ? bob : alice).id },
        '0.01',
      );
      madeIds.unshift(body.data.payment.id);
    }
    const first = await bob.read(madeIds.at(-1) ?? '');
    since = first.body.data.date_created;
  });

  /** Returns all pages from the first to the one without `next`. */
  const follow = async (user: TestUser, query: Fields): Promise<WirePayment[][]> => {
    let page = await user.list(query);
    const pages = [page.body.data];
    while (page.body.pagination.next !== null) {
      expect(page.status).toBe(200);
      page = await call<WirePayment[]>(page.body.pagination.next, { token: user.token });
      pages.push(page.body.data);
      expect(pages.length).toBeLessThan(1000);
    }
    return pages;
  };
  const ids = (payments: readonly WirePayment[]) => payments.map(({ id }) => id);

  // Shows list-1, list-3, limit-5
  it('given no limit, when the list is read, then it holds the 20 newest payments, newest first', async () => {
    const { body } = await alice.list();
    expect(ids(body.data)).toEqual(madeIds.slice(0, 20));
    const dates = body.data.map(({ date_created }) => date_created);
    expect(dates).toEqual([...dates].sort().reverse());
  });

  // Shows endpoint-37, payment-30, limit-5, limit-27
  it.each([
    { limit: 1, shown: 1 },
    // Shows list-4
    { limit: 50, shown: 50 },
    // Shows parameter-43
    { limit: 51, shown: 50 },
    // Shows parameter-43
    { limit: 100_000, shown: 50 },
  ])(
    'given the limit $limit, when the list is read, then it holds $shown and next has the same limit',
    async ({ limit, shown }) => {
      const { body } = await alice.list({ limit });
      expect(body.data.length).toBe(shown);
      const next = new URL(body.pagination.next ?? '');
      expect(next.searchParams.get('limit')).toBe(String(shown));
      expect(next.searchParams.get('before')).toBe(body.data.at(-1)?.date_created);
      expect(next.origin + next.pathname).toBe(`${process.env.BASE_URL}/payments`);
    },
  );

  // Shows list-6
  it.each([7, 20, 50])(
    'given pages of %d, when next is followed, then each payment is returned once',
    async (limit) => {
      const pages = await follow(alice, { limit, after: since });
      expect(pages.slice(0, -1).every((page) => page.length === limit)).toBe(true);
      expect(ids(pages.flat())).toEqual(madeIds.slice(0, -1));
    },
  );

  // Shows list-7
  it('given payments made while paging, when next is followed, then each earlier payment is returned once', async () => {
    let page = await alice.list({ limit: 9, after: since });
    const seen = ids(page.body.data);
    while (page.body.pagination.next !== null) {
      await bob.send({ user_id: alice.id }, '0.01');
      page = await call<WirePayment[]>(page.body.pagination.next, { token: alice.token });
      seen.push(...ids(page.body.data));
    }
    expect(seen.filter((id) => madeIds.includes(id))).toEqual(madeIds.slice(0, -1));
    expect(new Set(seen).size).toBe(seen.length);
  });

  // Shows parameter-51, endpoint-36
  it('given after and before, when the list is read, then both are exclusive', async () => {
    const from = await alice.read(madeIds[10] ?? '');
    const to = await alice.read(madeIds[5] ?? '');
    const query = { after: from.body.data.date_created, before: to.body.data.date_created };
    expect(ids((await alice.list(query)).body.data)).toEqual(madeIds.slice(6, 10));
  });

  it.each([
    '0001-01-01',
    '2020-02-29',
    '2026-01-31T10:00:00',
    '2026-01-31T10:00:00Z',
    '2026-01-31T10:00:00.123456Z',
    '2026-01-31T10:00:00+00:00',
  ])('given the date %s, when the list is read, then it is accepted', async (date) => {
    expect((await alice.list({ after: date })).status).toBe(200);
    expect((await alice.list({ before: date })).status).toBe(200);
  });

  // Shows payment-29
  it('given the year 0001 as before, when the list is read, then it is empty and has no next', async () => {
    const { body } = await alice.list({ before: '0001-01-01' });
    expect([body.data, body.pagination.next]).toEqual([[], null]);
  });

  // Shows endpoint-31, endpoint-32, endpoint-33, endpoint-34, endpoint-35, payment-30
  it('given filters, when the list is read, then every page holds only matching payments and next keeps the filters', async () => {
    const charge = await bob.send({ user_id: alice.id }, '-0.01');
    const recent = { after: since, limit: 10 };
    const expectAll = async (query: Fields, matches: (payment: WirePayment) => boolean) => {
      const all = (await follow(alice, recent)).flat();
      const filtered = (await follow(alice, { ...recent, ...query })).flat();
      expect(ids(filtered)).toEqual(ids(all.filter(matches)));
      expect(filtered.length).toBeGreaterThan(0);
    };
    await expectAll({ action: 'charge' }, ({ action }) => action === 'charge');
    await expectAll({ action: 'pay' }, ({ action }) => action === 'pay');
    await expectAll({ status: 'pending' }, ({ status }) => status === 'pending');
    await expectAll({ status: 'pending,settled' }, ({ status }) => ['pending', 'settled'].includes(status));
    await expectAll({ actor: bob.id }, ({ actor }) => actor.id === bob.id);
    await expectAll({ actor: `${bob.id},${alice.id}` }, () => true);
    await expectAll({ actor: bob.id, action: 'pay', status: 'settled' }, ({ actor, action, status }) => {
      return actor.id === bob.id && action === 'pay' && status === 'settled';
    });
    expect((await alice.list({ actor: '1234567890123456789' })).body.data).toEqual([]);
    await bob.act(charge.body.data.payment.id, 'cancel');
  });

  // Shows list-9
  it('given a date and an id as the bound, when the list is read, then of the payments with that date only those with smaller ids are returned', async () => {
    const { id, date_created: before } = (await alice.read(madeIds[3] ?? '')).body.data;
    const newestBelow = async (bound: bigint) =>
      ids((await alice.list({ before, before_id: String(bound), limit: 1 })).body.data);
    expect(await newestBelow(BigInt(id) + 1n)).toEqual([id]);
    expect(await newestBelow(BigInt(id))).toEqual([madeIds[4]]);
  });

  // Shows list-11, payment-2
  it('given any payment, when it is listed, then the entry equals the single payment without fee, refund and medium', async () => {
    for (const entry of (await alice.list({ limit: 3 })).body.data) {
      const { fee, refund, medium, ...rest } = (await alice.read(entry.id)).body.data;
      expect([fee, refund, medium]).toEqual([null, null, 'api']);
      expect(entry).toEqual(rest);
    }
  });

  // Shows endpoint-16
  it('given friends, when the list of any user is read, then it is in order of id and respects before and after', async () => {
    const friends = async (of: TestUser, query: Fields) =>
      (await call<WireParty[]>(`/users/${of.id}/friends`, { token: alice.token, query })).body;
    const carol = await loadDemoUser('carol');
    expect((await friends(bob, {})).data.map(({ id }) => id)).toEqual([alice.id]);
    expect(await friends(carol, {})).toEqual({ data: [], pagination: { next: null } });
    expect((await friends(alice, { before: bob.id })).data).toEqual([]);
    expect((await friends(alice, { after: bob.id })).data).toEqual([]);
    expect((await friends(alice, { after: '100000000000000000', limit: 1 })).data.map(({ id }) => id)).toEqual([
      bob.id,
    ]);
  });
});
