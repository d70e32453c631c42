import { call } from './client.js';
import { type TestUser, loadDemoUser } from './users.js';
import { encodeAsJson, encodeAsText, expectRefused, expectAccepted } from './encoded-payments.fixture.js';

/** The largest id, 2^63 - 1, which is unused. */
const LARGEST_ID = '9223372036854775807';

describe('valid ids, enumerations and limits, as form, JSON and query', () => {
  let alice: TestUser;
  let bob: TestUser;

  beforeAll(async () => {
    [alice, bob] = await Promise.all([loadDemoUser('alice'), loadDemoUser('bob')]);
  });

  // Shows parameter-5
  const short = ['0', '1', '-1', '12345678901234567', '1.0', '1e18', 'abc', 'alice', '@alice', ' ', 'null', 'me'];
  const spelt = (id: string) => [`0${id}`, `+${id}`, ` ${id}`, `${id} `, `${id}.0`, `${id}\n`, `${id},${id}`];
  const large = [
    // Shows parameter-5
    '9223372036854775808',
    '9'.repeat(19),
    '9'.repeat(20),
    '9'.repeat(1_000),
    '１２３４５６７８９０１２３４５６７８',
  ];
  const noIds = [...short, ...spelt('145434160922624933'), ...large];

  describe('user_id', () => {
    // Shows parameter-4
    it('given the id of a user as text or as a JSON number, when it is sent, then it names that user', async () => {
      const requests = [...encodeAsText('user_id', bob.id), ['JSON number', encodeAsJson('user_id', bob.id)] as const];
      await expectAccepted(alice, requests, ({ target }) =>
        expect([target.type, target.user?.id, target.email, target.phone]).toEqual(['user', bob.id, null, null]),
      );
    });

    it('given the largest possible id, when it is sent, then it is unknown', async () => {
      for (const [as, request] of encodeAsText('user_id', LARGEST_ID)) {
        const { status, body } = await call('/payments', { method: 'POST', token: alice.token, ...request });
        expect([as, status, body.error.code]).toEqual([as, 404, 'resource_not_found']);
      }
    });

    it.each(noIds)('given %p, when it is sent, then it is rejected', (id) =>
      expectRefused(alice, encodeAsText('user_id', id), 'invalid_target', 'user_id'),
    );

    it.each(['true', '[]', '{}', '1.5e17', '145434160922624933.0'])(
      'given the JSON %s, when it is sent, then it is rejected',
      (source) => expectRefused(alice, [['JSON', encodeAsJson('user_id', source)]], 'invalid_target', 'user_id'),
    );
  });

  describe('audience', () => {
    it.each(['public', 'friends', 'private'])('given %s, when it is sent, then it is accepted', (audience) =>
      expectAccepted(alice, encodeAsText('audience', audience), (payment) => expect(payment.audience).toBe(audience)),
    );

    // Shows parameter-38, parameter-40
    it.each(['PUBLIC', 'Private', 'fRiEnDs'])('given %s, when it is sent, then it is read in lower case', (audience) =>
      expectAccepted(alice, encodeAsText('audience', audience), (payment) =>
        expect(payment.audience).toBe(audience.toLowerCase()),
      ),
    );

    // Shows parameter-39
    it('given an empty value, when it is sent, then it counts as not sent', () =>
      expectAccepted(alice, encodeAsText('audience', ''), (payment) => expect(payment.audience).toBe('private')));

    it.each([' public', 'public ', 'everyone', 'publicfriends', 'public,friends', '0', 'null'])(
      'given %p, when it is sent, then it is rejected',
      (audience) => expectRefused(alice, encodeAsText('audience', audience), 'invalid_audience', 'audience'),
    );

    it.each(['true', '1', '[]', '["public"]', '{}'])(
      'given the JSON %s, when it is sent, then it is rejected',
      (source) => expectRefused(alice, [['JSON', encodeAsJson('audience', source)]], 'invalid_audience', 'audience'),
    );
  });

  // Shows parameter-56
  it.each(noIds)('given %p where a path has an id, when it is requested, then it is not found', async (id) => {
    const segment = encodeURIComponent(id);
    for (const path of [`/users/${segment}`, `/users/${segment}/friends`, `/payments/${segment}`]) {
      const { status, body } = await call(path, { token: alice.token });
      expect([path, status, body.error?.code]).toEqual([path, 404, 'resource_not_found']);
    }
  });

  const noCursors = noIds.filter((id) => !id.includes(','));
  // Shows parameter-55
  it.each(noCursors)('given %p where a query has an id, when it is requested, then it is rejected', async (id) => {
    const before = '2026-01-31';
    const rows: [string, string, Record<string, string>][] = [
      ['/payments', 'actor', { actor: id }],
      ['/payments', 'actor', { actor: `${bob.id},${id}` }],
      ['/payments', 'before_id', { before, before_id: id }],
      [`/users/${alice.id}/friends`, 'before', { before: id }],
      [`/users/${alice.id}/friends`, 'after', { after: id }],
    ];
    for (const [path, name, query] of rows) {
      const { status, body } = await call(path, { token: alice.token, query });
      expect([path, name, status, body.error?.code]).toEqual([path, name, 400, 'invalid_request']);
      expect(body.error.message).toContain(name);
    }
  });

  it.each(['1', '20', '50', '51', '100000', '9'.repeat(400)])(
    'given the limit %s, when a list is requested, then it is returned',
    async (limit) => {
      for (const path of ['/payments', `/users/${alice.id}/friends`]) {
        expect([path, (await call(path, { token: alice.token, query: { limit } })).status]).toEqual([path, 200]);
      }
    },
  );

  // Shows parameter-46
  const noNumbers = [' ', '00', '01', '-1', '+1', '1.0', '1e1', '0x5', '1_0', '5 ', ' 5', '５', 'ten', 'null'];
  it.each([...noNumbers, 'NaN', 'Infinity', '1,2', '½'])(
    'given the limit %p, when a list is requested, then it is rejected',
    async (limit) => {
      for (const path of ['/payments', `/users/${alice.id}/friends`]) {
        const { status, body } = await call(path, { token: alice.token, query: { limit } });
        expect([path, status, body.error?.code]).toEqual([path, 400, 'invalid_limit']);
        expect(body.error.message).toContain('limit');
      }
    },
  );
});
