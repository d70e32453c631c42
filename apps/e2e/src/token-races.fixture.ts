import { createHash } from 'node:crypto';
import { eventually } from '@settle/testing';
import type { Fields } from './client.js';
import { BlockingTransaction } from './blocking-transaction.fixture.js';
import { withDatabase, type KillTarget } from './running-stack.fixture.js';
import {
  DEMO_CREDENTIALS,
  requestTokens,
  expectRevoked,
  obtainCode,
  obtainTokens,
  readRefusal,
  fetchStatus,
  type TokenResponse,
} from './server-side-flow.fixture.js';

const RACERS = 50;
/** Statuses after which a client repeats: not executed, or outcome unknown. */
const SENT_AGAIN = [503, 504];
const RESPONSE_WAIT_MS = 30_000;

/** The request that fifty clients send at once. */
interface Grant {
  readonly form: Fields;
  readonly secret: string;
  /** Earlier access tokens of the same family. */
  readonly accessTokens: readonly string[];
}

const GRANTS = {
  'redeem one code': async (): Promise<Grant> => {
    const code = await obtainCode();
    return { form: { code }, secret: code, accessTokens: [] };
  },
  'use one refresh token': async (): Promise<Grant> => {
    const { refresh_token, access_token } = await obtainTokens();
    return { form: { refresh_token }, secret: refresh_token, accessTokens: [access_token] };
  },
} as const;

interface Kill {
  /** How many clients may receive tokens. */
  readonly winners: readonly number[];
  /** Prepares the kill. The returned function kills at the right moment. */
  prepare(target: KillTarget, familyId: string): Promise<() => Promise<void>>;
}

const tokensOf = `select from tokens where authorization_id = $1`;

const KILLS = {
  'while the first tokens are stored': {
    // Nothing is stored, as if no request had arrived.
    winners: [1],
    async prepare(target) {
      const blocker = await BlockingTransaction.begin('auth', 'lock table tokens in share mode');
      return () => blocker.kill(target, 'rolled back');
    },
  },
  'as soon as tokens are stored': {
    // The winner may not have received the response, and no other client may get tokens instead.
    winners: [0, 1],
    async prepare(target, familyId) {
      const before = await withDatabase('auth', async (client) => (await client.query(tokensOf, [familyId])).rowCount);
      return () =>
        withDatabase('auth', async (client) => {
          await eventually(async () => expect((await client.query(tokensOf, [familyId])).rowCount).not.toBe(before));
          await target.kill();
        });
    },
  },
} as const satisfies Record<string, Kill>;

export const GRANT_KILLS = keysOf(GRANTS).flatMap((grant) => keysOf(KILLS).map((kill) => [grant, kill] as const));

const FAMILY_ID = `
  select authorization_id as id from authorization_codes where sha256 = $1
  union all select authorization_id from refresh_tokens where sha256 = $1`;

const FAMILY = `
  select revoked_at is not null as "isEnded",
    (select count(*)::int from authorization_codes where authorization_id = a.id and used_at is null) as "unusedCodes",
    (select count(*)::int from tokens where authorization_id = a.id) as tokens,
    (select count(*)::int from tokens where authorization_id = a.id and revoked_at is null) as "livingTokens",
    (select count(*)::int from refresh_tokens where authorization_id = a.id) as "refreshTokens",
    (select count(*)::int from refresh_tokens where authorization_id = a.id and used_at is null) as "unusedRefreshTokens"
  from authorizations a where id = $1`;

async function familyIdOf(secret: string): Promise<string> {
  const values = [createHash('sha256').update(secret).digest()];
  const { rows } = await withDatabase('auth', (client) => client.query<{ id: string }>(FAMILY_ID, values));
  if (rows[0] === undefined) throw new Error('auth-service does not know the code or token.');
  return rows[0].id;
}

/** Sends the request, and again when the kill has cut off the response. */
async function observed(form: Fields, isBack: Promise<void>): Promise<TokenResponse> {
  const send = async (): Promise<TokenResponse> => {
    const response = await requestTokens({ ...DEMO_CREDENTIALS, ...form });
    if (SENT_AGAIN.includes(response.status)) throw new TypeError(`The service is unavailable: ${response.status}`);
    return response;
  };
  return send().catch(async (error: Error) => {
    // fetch rejects with a TypeError for a broken connection; any other error is a fault of the spec.
    if (error.name !== 'TypeError') throw error;
    await isBack;
    return eventually(send, { timeoutMs: RESPONSE_WAIT_MS });
  });
}

/**
 * Fifty clients race while the service is killed and restarts, and each client without a response repeats. At most one of
 * them has redeemed it. All others have presented it again, which revokes the family: every token of it is
 * revoked (RFC 6749 4.1.2, RFC 9700 4.14.2), and nothing is stored partially.
 */
export async function expectOneFamily(grant: keyof typeof GRANTS, kill: keyof typeof KILLS, target: KillTarget) {
  const { form, secret, accessTokens } = await GRANTS[grant]();
  const familyId = await familyIdOf(secret);
  const strike = await KILLS[kill].prepare(target, familyId);
  const isBack = strike().then(() => target.back());
  const responses = await Promise.all(Array.from({ length: RACERS }, () => observed(form, isBack)));

  const won = responses.filter(({ status }) => status === 200);
  expect(KILLS[kill].winners).toContain(won.length);
  const lost = responses.filter(({ status }) => status !== 200).map(readRefusal);
  expect(lost).toEqual(lost.map(() => [400, 'invalid_grant']));

  const given = accessTokens.length + 1;
  const { rows } = await withDatabase('auth', (client) => client.query(FAMILY, [familyId]));
  expect(rows).toEqual([
    {
      isEnded: true,
      unusedCodes: 0,
      tokens: given,
      livingTokens: 0,
      refreshTokens: given,
      unusedRefreshTokens: 1,
    },
  ]);
  for (const token of [...accessTokens, ...won.map(({ tokens }) => tokens.access_token)]) await expectRevoked(token);
  for (const { tokens } of won) {
    const newest = await requestTokens({ ...DEMO_CREDENTIALS, refresh_token: tokens.refresh_token });
    expect(readRefusal(newest)).toEqual([400, 'invalid_grant']);
  }
  expect(await fetchStatus((await obtainTokens()).access_token)).toBe(200);
}

function keysOf<Key extends string>(table: Readonly<Record<Key, unknown>>): Key[] {
  return Object.keys(table) as Key[];
}
