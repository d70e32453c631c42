import 'reflect-metadata';
import { randomUUID } from 'node:crypto';
import { DEMO_APP, DEMO_USERS, SCOPES, randomId } from '@settle/contracts';
import { createDataSource } from '@settle/postgres';
import { beginAuthorization } from '../../apps/auth-service/dist/oauth/authorizations.js';
import { Passwords } from '../../apps/auth-service/dist/sign-in/passwords.js';
import { Credential } from '../../apps/auth-service/dist/tables/credential.entity.js';
import { issueAccessToken } from '../../apps/auth-service/dist/tokens/tokens.js';
import { Users } from '../../apps/users-service/dist/users/users.js';
import { createUsersDataSource } from '../../apps/users-service/dist/start-users-service.js';
import { asAdmin } from './product.mjs';

/** Long enough for any run. */
const TOKEN_LIFE_MS = 12 * 3_600_000;
/** The most that one payment may move; a wallet that pays a cent at a time does not run dry. */
const FUNDS = '2999.99';
const KNOWN_TIMEOUT_MS = 120_000;
/** Five charges of a user that the provider has not decided are the most that one may have. */
const PAYERS_AT_ONCE = 4;
/** Users that one transaction creates. */
const USERS_AT_ONCE = 1_000;

/** Returns the URL of a database on the same server. */
export function databaseUrl(adminUrl, name) {
  const url = new URL(adminUrl);
  url.pathname = `/${name}`;
  return url.href;
}

/** Runs `work` over all items, `width` at a time. */
export async function eachOf(items, width, work) {
  const queue = items.values();
  const drain = async () => {
    for (const item of queue) await work(item);
  };
  await Promise.all(Array.from({ length: width }, drain));
}

async function createPeople(adminUrl, publicUrl, { count, first = 0, sourceOf = null }) {
  const dataSource = await createUsersDataSource(databaseUrl(adminUrl, 'settle_users')).initialize();
  try {
    const users = Array.from({ length: count }, (_, at) => ({
      id: randomId(Date.now() - count + at),
      username: `payer${first + at}`,
      firstName: 'Payer',
      lastName: `Number ${first + at}`,
      email: null,
      phone: null,
      joinedAtUs: Date.now() * 1000,
    }));
    await dataSource.transaction(async (manager) => {
      const people = new Users(manager, publicUrl);
      for (const user of users) {
        await people.createUser(user);
        if (sourceOf !== null) await people.changeUser(user.id, { fundingSourceId: sourceOf(user) });
      }
    });
    return users;
  } finally {
    await dataSource.destroy();
  }
}

/** These users never sign in, so that one random password serves for all. */
async function createCredentials(dataSource, users) {
  const passwordHash = await new Passwords().hash(randomUUID());
  const rows = users.map(({ id, username }) => ({ userId: id, username, passwordHash }));
  await dataSource.getRepository(Credential).insert(rows);
}

/** Resolves with the tokens of alice and of the users, in this order. */
async function issueTokens(adminUrl, users) {
  const url = databaseUrl(adminUrl, 'settle_auth');
  const dataSource = await createDataSource({
    name: 'bench-auth',
    url,
    entities: [Credential],
  }).initialize();
  try {
    await createCredentials(dataSource, users);
    const issued = [];
    for (const userId of [DEMO_USERS.alice.id, ...users.map(({ id }) => id)]) {
      const grant = { appId: DEMO_APP.clientId, userId, scopes: SCOPES, lifeMs: TOKEN_LIFE_MS };
      const issue = async (manager) => {
        const authorizationId = await beginAuthorization(manager, grant);
        return issueAccessToken(manager, { ...grant, authorizationId });
      };
      issued.push(await dataSource.transaction(issue));
    }
    return issued;
  } finally {
    await dataSource.destroy();
  }
}

/** The payments service receives users through the outbox of users-service, with a delay. */
async function untilKnown(adminUrl, ids) {
  const known = 'select count(*) from known_users where user_id = any($1::bigint[])';
  const deadline = Date.now() + KNOWN_TIMEOUT_MS;
  for (;;) {
    const query = (client) => client.query(known, [ids]);
    const count = Number((await asAdmin(adminUrl, query, 'settle_payments')).rows[0].count);
    if (count === ids.length) return;
    if (Date.now() > deadline) throw new Error(`The payments service knows ${count} of ${ids.length} people in time.`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/** Pays once over HTTP; throws unless it settled. Answers the payment. @param payment with an idempotency key if `key` is set */
export async function pay(url, { token, to, amount, note = 'bench', key }) {
  const response = await fetch(`${url}/v1/payments`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/x-www-form-urlencoded',
      ...(key !== undefined && { 'idempotency-key': key }),
    },
    body: new URLSearchParams({ user_id: to, note, amount }),
  });
  const body = await response.json();
  if (body.data?.payment.status !== 'settled') throw new Error(`A payment did not settle: ${JSON.stringify(body)}`);
  return body.data.payment;
}

/**
 * Creates `count` users without tokens, whose names count from `first` on, and waits until the payments service has received
 * them. Resolves with their ids.
 */
export async function makeUsers({ adminUrl, url, first, count }) {
  const ids = [];
  while (ids.length < count) {
    const next = Math.min(USERS_AT_ONCE, count - ids.length);
    ids.push(...(await createPeople(adminUrl, url, { count: next, first: first + ids.length })).map(({ id }) => id));
  }
  await untilKnown(adminUrl, ids);
  return ids;
}

/**
 * Creates `count` users with the functions of users-service and auth-service, and waits until the payments service has
 * received them. Resolves with their ids and tokens, and a token of alice, from whose funding source they get money.
 * @param first number in the names of the first one
 * @param sourceOf answers the funding source of a user; absent: they have none
 */
export async function makePeople({ adminUrl, url, count, first, sourceOf }) {
  const users = await createPeople(adminUrl, url, { count, first, sourceOf });
  const [funderToken, ...tokens] = await issueTokens(adminUrl, users);
  await untilKnown(
    adminUrl,
    users.map(({ id }) => id),
  );
  return { funderToken, people: users.map(({ id }, at) => ({ id, token: tokens[at] })) };
}

/** Does the same and pays money into their wallets over HTTP, from alice. Resolves with their ids and tokens. */
export async function seedWallets({ adminUrl, url, count }) {
  return fundWallets(url, await makePeople({ adminUrl, url, count }));
}

/** Pays money into the wallets of the users that `makePeople` created. Resolves with their ids and tokens. */
export async function fundWallets(url, { funderToken: token, people }) {
  await eachOf(people, PAYERS_AT_ONCE, ({ id: to }) => pay(url, { token, to, amount: FUNDS }));
  return people;
}
