import { type ApiResponse, call, type Fields } from './client.js';
import { type SignedUpUser, signUp } from './sign-up.js';
import { withDatabase } from './running-stack.fixture.js';
import type { WireParty } from './wire.js';

const FRIENDS = 60;
/** Some ids are lower than that of the user whose friends they are, some higher. */
const IDS = `select $1::bigint + (n - 20) * 1000003 as id, n from generate_series(0, ${FRIENDS}) n where n <> 20`;

describe('a user with many friends', () => {
  let owner: SignedUpUser;
  let friendIds: string[];

  beforeAll(async () => {
    owner = await signUp();
    const users = `insert into users (id, username, first_name, last_name, display_name, about, joined_at_us,
        default_audience, is_business, legacy_access, verified, is_frozen, version)
      select id, 'friend.' || id, 'Fay', 'Friend', 'Fay Friend', '', 0, 'private', false, false, false, false, 1 from (${IDS})`;
    const pairs = `insert into pairs (low, high, are_friends, low_trusts_high, high_trusts_low, low_blocks_high,
        high_blocks_low, version)
      select least(id, $1), greatest(id, $1), true, false, false, false, false, 1 from (${IDS})`;
    await withDatabase('users', async (client) => {
      for (const text of [users, pairs]) await client.query(text, [owner.id]);
    });
    friendIds = Array.from({ length: FRIENDS + 1 }, (_, n) => String(BigInt(owner.id) + BigInt((n - 20) * 1_000_003)));
    friendIds = friendIds.filter((id) => id !== owner.id);
  });

  const read = (path: string, query: Fields = {}): Promise<ApiResponse<WireParty[]>> =>
    call(path, { token: owner.token, query });
  const friends = async (query: Fields) => (await read(`/users/${owner.id}/friends`, query)).body;
  const ids = (users: readonly WireParty[]) => users.map(({ id }) => id);

  // Shows endpoint-18, endpoint-21, endpoint-22, list-5
  it.each([
    [undefined, 20],
    // Shows parameter-44
    [0, 20],
    // Shows parameter-44
    ['', 20],
    [50, 50],
    [51, 50],
    [100_000, 50],
  ])(
    'given the limit %p, when friends are listed, then %i are returned in ascending order of id',
    async (limit, shown) => {
      const { data, pagination } = await friends({ limit });
      expect(ids(data)).toEqual(friendIds.slice(0, shown));
      const next = new URL(pagination.next ?? '').searchParams;
      expect([next.get('limit'), next.get('after')]).toEqual([String(shown), friendIds[shown - 1]]);
    },
  );

  // Shows endpoint-22
  it.each([7, 25])('given pages of %i, when next is followed, then each friend is returned once', async (limit) => {
    const seen: string[] = [];
    let { data, pagination } = await friends({ limit });
    for (seen.push(...ids(data)); pagination.next !== null; seen.push(...ids(data))) {
      ({ data, pagination } = (await read(pagination.next)).body);
    }
    expect(seen).toEqual(friendIds);
  });

  // Shows endpoint-19, endpoint-20
  it('given before, after or both, when friends are listed, then both are exclusive', async () => {
    const [after, before] = [friendIds[10], friendIds[30]];
    expect(ids((await friends({ before, limit: 50 })).data)).toEqual(friendIds.slice(0, 30));
    expect(ids((await friends({ after, limit: 50 })).data)).toEqual(friendIds.slice(11));
    expect(ids((await friends({ after, before, limit: 50 })).data)).toEqual(friendIds.slice(11, 30));
  });

  // Shows parameter-45
  it('given an offset, when friends are listed, then so many are skipped, and next continues after the page', async () => {
    const { data, pagination } = await friends({ offset: 15, limit: 10 });
    expect(ids(data)).toEqual(friendIds.slice(15, 25));
    expect(ids((await read(pagination.next ?? '')).body.data)).toEqual(friendIds.slice(25, 35));
    expect(ids((await friends({ offset: 3, after: friendIds[10], before: friendIds[30] })).data)).toEqual(
      friendIds.slice(14, 30),
    );
    const last = await friends({ offset: 59, limit: 10 });
    expect([ids(last.data), last.pagination.next]).toEqual([friendIds.slice(59), null]);
    expect((await friends({ offset: 60 })).data).toEqual([]);
    expect((await friends({ offset: '9'.repeat(30) })).data).toEqual([]);
    expect((await friends({ offset: '', limit: '' })).data).toHaveLength(20);
  });

  // Shows parameter-45
  it.each(['-1', '1.5', 'ten', ' 1'])(
    'given the offset %p, when friends are listed, then it is rejected',
    async (offset) => {
      const { status, body } = await read(`/users/${owner.id}/friends`, { offset });
      expect([status, body.error.code, body.error.message]).toEqual([
        400,
        'invalid_request',
        expect.stringContaining('offset'),
      ]);
    },
  );
});
