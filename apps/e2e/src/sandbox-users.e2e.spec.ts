import { call, sandboxUrl } from './client.js';
import { befriend, signUp } from './sign-up.js';
import type { WireUser } from './wire.js';

const UNKNOWN_ID = '1852942301724180999';

describe('users in the sandbox', () => {
  // Shows sandbox-15, sandbox-18
  it('given two users, when one reads the other in the sandbox, then the other is unknown there until they are friends', async () => {
    const [reader, other] = [await signUp(), await signUp()];
    const read = (id: string, below = '') =>
      call<WireUser>(`${sandboxUrl()}/users/${id}${below}`, { token: reader.token });
    for (const below of ['', '/friends']) {
      const [stranger, unknown] = [await read(other.id, below), await read(UNKNOWN_ID, below)];
      expect([stranger.status, stranger.body]).toEqual([404, unknown.body]);
      expect((await read(reader.id, below)).status).toBe(200);
      expect((await call(`/users/${other.id}${below}`, { token: reader.token })).status).toBe(200);
    }
    await befriend(reader, other);
    expect((await read(other.id)).body.data).toMatchObject({ id: other.id, is_friend: true });
    expect((await read(other.id, '/friends')).status).toBe(200);
  });
});
