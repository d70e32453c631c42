import { DEMO_APP, DEMO_USERS } from '@settle/contracts';
import { authorizationUrl, createPkce, exchangeCode, SettleClient, SettleError, type Tokens } from '@settle/client';
import { eventually } from '@settle/testing';
import { baseUrl, sandboxUrl } from './client.js';
import { obtainTokens } from './server-side-flow.fixture.js';
import { allowAsCarol, callbackUrl } from './sign-in.js';

const app = (base = baseUrl()) => ({ baseUrl: base, clientId: DEMO_APP.clientId, clientSecret: DEMO_APP.clientSecret });
const scopes = ['make_payments', 'access_profile', 'access_balance'];
const note = `sdk ${process.pid} ${Date.now()}`;
const toCents = (amount: string | null) => BigInt((amount ?? '').replace('.', ''));

async function tokensOf(username: string): Promise<Tokens> {
  const tokens = await obtainTokens(username, { scope: scopes.join(' ') });
  return { accessToken: tokens.access_token, refreshToken: tokens.refresh_token };
}

let alice: SettleClient;
let bob: SettleClient;
beforeAll(async () => {
  alice = new SettleClient({ ...app(), tokens: await tokensOf('alice') });
  bob = new SettleClient({ ...app(), tokens: await tokensOf('bob') });
});

describe('the TypeScript client on the running product', () => {
  it('given a user, when the app is authorized with PKCE, then it acts for the user until it revokes', async () => {
    const { codeVerifier, codeChallenge } = await createPkce();
    const request = { ...app(), scopes, state: 'state-1', codeChallenge, redirectUri: callbackUrl() };
    const { searchParams: back } = await allowAsCarol(authorizationUrl(request));
    expect(back.get('state')).toBe('state-1');
    const code = back.get('code') ?? '';
    const { tokens, user, balance } = await exchangeCode(app(), code, { codeVerifier, redirectUri: callbackUrl() });
    const carol = new SettleClient({ ...app(), tokens });
    expect([user.username, (await carol.me()).balance]).toEqual(['carol', balance]);
    await carol.revoke();
    await eventually(() => expect(carol.me()).rejects.toMatchObject({ code: 'invalid_grant' }));
  });

  it('given a payment, when it is made twice with one key, then it exists once and amounts are exact', async () => {
    const before = toCents((await alice.me()).balance);
    const payment = { user_id: DEMO_USERS.bob.id, amount: '0.10', note };
    const options = { idempotencyKey: `${note}-1`.replaceAll(' ', '-') };
    const first = await alice.payments.create(payment, options);
    const again = await alice.payments.create(payment, options);
    expect([again.payment.id, first.payment.amount, first.payment.status]).toEqual([
      first.payment.id,
      '0.10',
      'settled',
    ]);
    expect([toCents(first.balance), toCents((await alice.me()).balance)]).toEqual([before - 10n, before - 10n]);
    expect(await bob.payments.get(first.payment.id)).toEqual(first.payment);
  });

  it('given charges, when they are approved, denied and cancelled, then lists show it in order, page by page', async () => {
    const charge = () => bob.payments.create({ user_id: DEMO_USERS.alice.id, amount: '-0.01', note });
    const charges = [(await charge()).payment, (await charge()).payment, (await charge()).payment] as const;
    expect(charges.map(({ status, amount }) => [status, amount])).toEqual(Array(3).fill(['pending', '-0.01']));
    const [first, second, third] = charges.map(({ id }) => id) as [string, string, string];
    expect((await alice.payments.approve(first)).status).toBe('settled');
    expect((await alice.payments.deny(second)).status).toBe('cancelled');
    expect((await bob.payments.cancel(third)).status).toBe('cancelled');
    const listed = [];
    for await (const { id, status } of alice.payments.list({ actor: [DEMO_USERS.bob.id], limit: 1 })) {
      listed.push([id, status]);
      if (listed.length === 3) break;
    }
    expect(listed).toEqual([
      [third, 'cancelled'],
      [second, 'cancelled'],
      [first, 'settled'],
    ]);
    await expect(alice.payments.approve(second)).rejects.toMatchObject({ code: 'payment_not_pending', status: 409 });
  });

  it('given requests that the API rejects, when they are sent, then the errors have code, status and request id', async () => {
    const error: unknown = await alice.payments
      .create({ user_id: DEMO_USERS.alice.id, amount: '1', note })
      .catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(SettleError);
    expect(error).toMatchObject({
      code: 'cannot_pay_self',
      status: 400,
      requestId: expect.stringMatching(/^[0-9a-f-]{36}$/),
    });
    await expect(alice.payments.get('1')).rejects.toMatchObject({ code: 'resource_not_found', status: 404 });
  });

  it('given an access token that is no longer valid, when many calls are made, then the product refreshes it once', async () => {
    const { refreshToken = '' } = await tokensOf('alice');
    const renewed: Tokens[] = [];
    const onTokens = (tokens: Tokens) => void renewed.push(tokens);
    const settle = new SettleClient({ ...app(), tokens: { accessToken: 'a'.repeat(40), refreshToken }, onTokens });
    const users = await Promise.all(Array.from({ length: 8 }, () => settle.me()));
    expect(new Set(users.map(({ user }) => user.id))).toEqual(new Set([DEMO_USERS.alice.id]));
    expect(renewed).toEqual([settle.tokens]);
    expect(settle.tokens.refreshToken).not.toBe(refreshToken);
  });

  it('given friends and the sandbox, when they are read, then the same client works there', async () => {
    const friends = [];
    for await (const { username } of alice.users.listFriends(DEMO_USERS.alice.id, { limit: 1 })) friends.push(username);
    expect(friends).toContain('bob');
    expect((await alice.users.get(DEMO_USERS.bob.id)).username).toBe('bob');
    const sandbox = new SettleClient({ ...app(sandboxUrl()), tokens: alice.tokens });
    const { payment } = await sandbox.payments.create({ user_id: '145434160922624933', amount: '0.10', note });
    expect([payment.status, payment.amount]).toEqual(['settled', '0.10']);
  });
});
