import { createHash } from 'node:crypto';
import { eventually } from '@settle/testing';
import type { Fields } from './client.js';
import { HoldUp } from './hold-up.fixture.js';
import { inDatabase, type Victim } from './running-stack.fixture.js';
import {
  DEMO_CREDENTIALS,
  askForTokens,
  expectDead,
  newCode,
  newTokens,
  refused,
  statusOf,
  type TokenAnswer,
} from './server-side-flow.fixture.js';

const RACERS = 50;
/** Not begun, or outcome unknown. */
const SENT_AGAIN = [503, 504];
const ANSWER_WAIT_MS = 30_000;

/** What fifty send at once. */
interface Grant {
  readonly form: Fields;
  readonly secret: string;
  /** Of the same family, given out before. */
  readonly accessTokens: readonly string[];
}

const GRANTS = {
  'redeem one code': async (): Promise<Grant> => {
    const code = await newCode();
    return { form: { code }, secret: code, accessTokens: [] };
  },
  'use one refresh token': async (): Promise<Grant> => {
    const { refresh_token, access_token } = await newTokens();
    return { form: { refresh_token }, secret: refresh_token, accessTokens: [access_token] };
  },
} as const;

interface Kill {
  /** How many may be told that they have tokens. */
  readonly winners: readonly number[];
  /** Prepares it; what comes of this kills when it is time. */
  prepare(victim: Victim, familyId: string): Promise<() => Promise<void>>;
}

const tokensOf = `select from tokens where authorization_id = $1`;

const KILLS = {
  'half-way through what the first one stores': {
    // Nothing of it is stored, as if no request had come.
    winners: [1],
    async prepare(victim) {
      const holdUp = await HoldUp.begin('auth', 'lock table tokens in share mode');
      return () => holdUp.kill(victim, 'undone');
    },
  },
  'as soon as tokens are stored': {
    // The client that got them may not have received the response, and must not get others in their place.
    winners: [0, 1],
    async prepare(victim, familyId) {
      const before = await inDatabase('auth', async (client) => (await client.query(tokensOf, [familyId])).rowCount);
      return () =>
        inDatabase('auth', async (client) => {
          await eventually(async () => expect((await client.query(tokensOf, [familyId])).rowCount).not.toBe(before));
          await victim.kill();
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
  const { rows } = await inDatabase('auth', (client) => client.query<{ id: string }>(FAMILY_ID, values));
  if (rows[0] === undefined) throw new Error('Auth-service does not know what is to be redeemed.');
  return rows[0].id;
}

/** Sends it, and again when the kill has cut the answer off. */
async function answered(form: Fields, isBack: Promise<void>): Promise<TokenAnswer> {
  const send = async (): Promise<TokenAnswer> => {
    const answer = await askForTokens({ ...DEMO_CREDENTIALS, ...form });
    if (SENT_AGAIN.includes(answer.status)) throw new TypeError(`The service is away: ${answer.status}`);
    return answer;
  };
  return send().catch(async (error: Error) => {
    // What fetch says of a connection that broke; another error is the spec's own.
    if (error.name !== 'TypeError') throw error;
    await isBack;
    return eventually(send, { timeoutMs: ANSWER_WAIT_MS });
  });
}

/**
 * Fifty race while the service is killed and restarts, and each client without a response repeats. Then one of them has
 * redeemed it at most, all the others have shown it once more, and that has ended the family: whatever came of it is
 * dead (RFC 6749 4.1.2, RFC 9700 4.14.2), and nothing is stored by halves.
 */
export async function expectOneFamily(grant: keyof typeof GRANTS, kill: keyof typeof KILLS, victim: Victim) {
  const { form, secret, accessTokens } = await GRANTS[grant]();
  const familyId = await familyIdOf(secret);
  const strike = await KILLS[kill].prepare(victim, familyId);
  const isBack = strike().then(() => victim.back());
  const answers = await Promise.all(Array.from({ length: RACERS }, () => answered(form, isBack)));

  const won = answers.filter(({ status }) => status === 200);
  expect(KILLS[kill].winners).toContain(won.length);
  const lost = answers.filter(({ status }) => status !== 200).map(refused);
  expect(lost).toEqual(lost.map(() => [400, 'invalid_grant']));

  const given = accessTokens.length + 1;
  const { rows } = await inDatabase('auth', (client) => client.query(FAMILY, [familyId]));
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
  for (const token of [...accessTokens, ...won.map(({ tokens }) => tokens.access_token)]) await expectDead(token);
  for (const { tokens } of won) {
    const newest = await askForTokens({ ...DEMO_CREDENTIALS, refresh_token: tokens.refresh_token });
    expect(refused(newest)).toEqual([400, 'invalid_grant']);
  }
  expect(await statusOf((await newTokens()).access_token)).toBe(200);
}

function keysOf<Key extends string>(table: Readonly<Record<Key, unknown>>): Key[] {
  return Object.keys(table) as Key[];
}
