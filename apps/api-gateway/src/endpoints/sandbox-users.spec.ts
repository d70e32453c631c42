import { DEMO_USERS, noSuchUser, type GetProfile, type Profile } from '@settle/contracts';
import {
  aliceProfile,
  call,
  cardOf,
  startGatewayUnderTest,
  type GatewayUnderTest,
} from '../../test/gateway.fixture.js';

const { alice, bob, carol } = DEMO_USERS;
const TOKEN = { headers: { authorization: 'Bearer t' } };
const BELOW = ['', '/friends'] as const;
const profileOf = (name: 'bob' | 'carol', isFriend: boolean): Profile => ({
  ...aliceProfile,
  ...cardOf(name),
  isFriend,
});
/** Alice, whose token it is, is a friend of Bob alone. */
const PROFILES: Readonly<Record<string, Profile>> = {
  [alice.id]: aliceProfile,
  [bob.id]: profileOf('bob', true),
  [carol.id]: profileOf('carol', false),
};

let gateway: GatewayUnderTest;
beforeAll(async () => {
  gateway = await startGatewayUnderTest(() => ['access_profile']);
  gateway.answers['getProfile'] = ({ userId }: GetProfile) =>
    PROFILES[userId] === undefined ? Promise.reject(noSuchUser()) : Promise.resolve(PROFILES[userId]);
  gateway.answers['listFriends'] = () => Promise.resolve({ friends: [cardOf('alice')], hasMore: false });
});
afterAll(() => gateway.close());

const read = (base: string, id: string, below: string) => call(`${gateway.url}${base}/users/${id}${below}`, TOKEN);

describe('users in the sandbox', () => {
  // Shows sandbox-15
  it.each(BELOW)(
    'given a user who is no friend, when /users/:id%s is read, then it is as for an unknown user',
    async (below) => {
      const stranger = await read('/sandbox/v1', carol.id, below);
      const unknown = await read('/v1', '1852942301724180999', '');
      const malformed = await read('/v1', 'carol', below);
      expect([stranger.status, stranger.json]).toEqual([404, unknown.json]);
      expect([malformed.status, malformed.json]).toEqual([404, unknown.json]);
      expect((await read('/v1', carol.id, below)).status).toBe(200);
    },
  );

  it.each(BELOW)(
    'given the user and a friend, when /users/:id%s is read, then it is as in production',
    async (below) => {
      for (const { id } of [alice, bob]) {
        const [there, here] = [await read('/v1', id, below), await read('/sandbox/v1', id, below)];
        expect([here.status, here.json]).toEqual([200, there.json]);
      }
    },
  );
});
