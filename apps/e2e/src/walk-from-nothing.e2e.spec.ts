import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { eventually } from '@settle/testing';
import { startInspector, type PageInspector } from './page-inspector.fixture.js';
import { call } from './client.js';
import { NEW_PASSWORD, awaitCode } from './sign-up.js';
import { prepareDedicatedProduct } from './dedicated-product.js';
import { buildTestUser, unknownEmail, unknownPhone, type TestUser } from './users.js';
import { authorizeUrl } from './sign-in.js';
import { requestTokens } from './server-side-flow.fixture.js';
import type { WireMe } from './wire.js';

const SCOPE = 'make_payments access_profile access_balance';
const CARD = '4242 4242 4242 4242';
const SHAPE = process.env.E2E_SHAPE ?? 'running';

/** A user with a browser. */
interface WalkUser extends PageInspector {
  readonly username: string;
  readonly email: string;
  readonly phone: string;
}

describe('new users of a product without accounts, in Chromium', () => {
  const product = prepareDedicatedProduct({ DEMO: 'false', DEV_TOOLS: 'true' });
  /** The server of the app, which returns an empty page. */
  const app: Server = createServer((_request, response) => response.end('Back at the app.'));
  let appUrl: string;
  let dora: WalkUser;
  let emil: WalkUser;
  let frida: WalkUser;
  let clientId: string;
  let clientSecret: string;
  let payer: TestUser;
  let payerByCode: TestUser;
  const faults: string[] = [];

  beforeAll(async () => {
    await product.start();
    await new Promise<void>((resolve) => app.listen(0, '127.0.0.1', resolve));
    appUrl = `http://127.0.0.1:${(app.address() as AddressInfo).port}/back`;
    [dora, emil, frida] = await Promise.all([stranger('dora'), stranger('emil'), stranger('frida')]);
  }, 120_000);
  afterAll(async () => {
    await Promise.all([dora, emil, frida].map((inspector) => inspector.close()));
    await new Promise((resolve) => app.close(resolve));
    await product.close();
  }, 60_000);

  async function stranger(username: string): Promise<WalkUser> {
    const inspector = await startInspector(`${SHAPE}/${username}`);
    return { ...inspector, username, email: unknownEmail(), phone: unknownPhone() };
  }

  // Pages are the same in every shape, and inspecting them takes time.
  const inspect = async (inspector: PageInspector, name: string) => {
    if (SHAPE !== 'stack') faults.push(...(await inspector.inspect(name)));
  };

  async function signUp(who: WalkUser): Promise<void> {
    const { username, email, phone } = who;
    await who.open('/account/sign-up');
    const names = { first_name: username.replace(/^./, (letter) => letter.toUpperCase()), last_name: 'Newman' };
    await who.fill({ ...names, username, email, phone, password: NEW_PASSWORD });
    await who.press('Sign up');
    await who.fill({ code: await awaitCode(email) });
    await who.press('Continue');
    await who.fill({ code: await awaitCode(phone) });
    await who.press('Continue');
    expect(await who.page.textContent('.tag')).toBe('identity verified');
  }

  /** Authorizes the app and returns the parameters of the redirect. */
  async function authorizeApp(who: WalkUser, responseType: 'code' | 'token'): Promise<URLSearchParams> {
    await who.page.goto(authorizeUrl({ client_id: clientId, scope: SCOPE, response_type: responseType }));
    await who.press('Allow');
    await who.page.waitForURL(`${appUrl}*`);
    return new URL(who.page.url()).searchParams;
  }

  /** Returns the user who authorized the app, as the app sees them. */
  async function loadTokenUser(token: string, { email, phone }: WalkUser): Promise<TestUser> {
    const { body } = await call<WireMe>('/me', { token });
    return buildTestUser({ id: body.data.user.id, email, phone, token });
  }

  // Shows friend-24, demo-9
  it('given an empty data folder, when two users sign up, then both exist and become friends', async () => {
    await Promise.all([signUp(dora), signUp(emil)]);
    await dora.open('/account/friends');
    await dora.fill({ username: 'emil' });
    await dora.press('Send request');
    await inspect(dora, 'asked');
    await emil.open('/account/friends');
    await inspect(emil, 'is-asked');
    await emil.press('Accept');
    await dora.open('/account/friends');
    expect(await dora.page.textContent('section[aria-labelledby=friends]')).toContain('@emil');
    await inspect(dora, 'friends');
  });

  // Shows friend-24
  it('given the page of the provider, when a card is entered there and money is added from it, then it is balance', async () => {
    await dora.open('/account/funding');
    await inspect(dora, 'no-card');
    await dora.press('Continue to the provider');
    await dora.page.waitForURL(/\/cards\//);
    await dora.page.fill('#card_number', CARD);
    await dora.page.click('button:text-is("Add card")');
    await dora.page.waitForURL(/\/account\/funding\?done=source-added$/);
    expect(await dora.page.textContent('section[aria-labelledby=sources-title]')).toContain('Visa ending in 4242');
    await inspect(dora, 'card');
    await dora.page.fill('#deposit-amount', '100');
    await dora.press('Add money');
    expect(await dora.page.textContent('dl dd')).toBe('$100.00');
    await inspect(dora, 'money');
  });

  // Shows friend-24
  it('given a verified user, when an app is registered, then it has an id and a secret', async () => {
    await dora.open('/developers');
    await inspect(dora, 'no-apps');
    const app = { name: 'Tea round', description: 'Splits the bill.', site_url: 'https://tea.example/' };
    await dora.fill({ ...app, redirect_url: appUrl });
    await dora.press('Register');
    clientId = /\/apps\/(\w+)/.exec(dora.page.url())?.[1] ?? '';
    await inspect(dora, 'app');
    await dora.press('Create a secret');
    clientSecret = (await dora.page.locator('dl dd').nth(1).textContent()) ?? '';
    expect(clientSecret).toMatch(/^[\w-]{43}$/);
    await inspect(dora, 'app-with-its-secret');
    await dora.open('/developers');
    await inspect(dora, 'apps');
  });

  // Shows friend-24
  it('given the app, when its owner authorizes it by each flow, then it has a token by each', async () => {
    const back = await authorizeApp(dora, 'token');
    payer = await loadTokenUser(back.get('access_token') ?? '', dora);
    const code = (await authorizeApp(dora, 'code')).get('code') ?? '';
    const { status, tokens } = await requestTokens({ client_id: clientId, client_secret: clientSecret, code });
    expect([status, tokens.user.username]).toEqual([200, 'dora']);
    payerByCode = await loadTokenUser(tokens.access_token, dora);
    expect(await payerByCode.balanceCents()).toBe(100_00);
    await dora.open('/account/apps');
    await inspect(dora, 'connected-apps');
  });

  // Shows friend-24
  it('given both tokens, when one pays the friend and one an unused phone number, then the money arrives, also when the owner of the number signs up later', async () => {
    const payee = await loadTokenUser((await authorizeApp(emil, 'token')).get('access_token') ?? '', emil);
    expect((await payer.send({ user_id: payee.id }, '20')).body.data.payment.status).toBe('settled');
    // The amount exceeds the balance, so the card pays it.
    expect((await payer.send({ user_id: payee.id }, '90.50')).body.data.payment.status).toBe('settled');
    expect(await payee.balanceCents()).toBe(110_50);
    const held = await payerByCode.send({ phone: frida.phone }, '12.34');
    expect(held.body.data.payment.status).toBe('pending');

    await signUp(frida);
    await inspect(frida, 'proven');
    const owner = await loadTokenUser((await authorizeApp(frida, 'token')).get('access_token') ?? '', frida);
    await eventually(async () => expect(await owner.balanceCents()).toBe(12_34));
    expect((await payer.read(held.body.data.payment.id)).body.data.status).toBe('settled');
    expect(await payer.balanceCents()).toBe(67_66);
  });

  it('given all these pages, when they are inspected, then axe finds nothing, none is too wide, and the browser reports no violation', () => {
    expect([...faults, ...[dora, emil, frida].flatMap(({ complaints }) => complaints)]).toEqual([]);
  });
});
