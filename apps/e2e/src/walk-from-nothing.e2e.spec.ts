import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { eventually } from '@settle/testing';
import { startWalker, type Walker } from './chromium.fixture.js';
import { call } from './client.js';
import { NEW_PASSWORD, codeTo } from './newcomers.js';
import { ownProduct } from './own-product.js';
import { personWith, unknownEmail, unknownPhone, type Person } from './people.js';
import { authorizeUrl } from './sign-in.js';
import { askForTokens } from './server-side-flow.fixture.js';
import type { WireMe } from './wire.js';

const SCOPE = 'make_payments access_profile access_balance';
const CARD = { card_number: '4242 4242 4242 4242', expiry: '12/99', security_code: '123' };
const SHAPE = process.env.E2E_SHAPE ?? 'running';

/** A user with a browser of their own. */
interface Stranger extends Walker {
  readonly username: string;
  readonly email: string;
  readonly phone: string;
}

describe('new users of a product without accounts, in Chromium', () => {
  const product = ownProduct({ DEMO: 'false', DEV_TOOLS: 'true' });
  /** Where the app is: it shows nothing. */
  const app: Server = createServer((_request, response) => response.end('Back at the app.'));
  let appUrl: string;
  let dora: Stranger;
  let emil: Stranger;
  let frida: Stranger;
  let clientId: string;
  let clientSecret: string;
  let payer: Person;
  let payerByCode: Person;
  const faults: string[] = [];

  beforeAll(async () => {
    await product.start();
    await new Promise<void>((resolve) => app.listen(0, '127.0.0.1', resolve));
    appUrl = `http://127.0.0.1:${(app.address() as AddressInfo).port}/back`;
    [dora, emil, frida] = await Promise.all([stranger('dora'), stranger('emil'), stranger('frida')]);
  }, 120_000);
  afterAll(async () => {
    await Promise.all([dora, emil, frida].map((walker) => walker.close()));
    await new Promise((resolve) => app.close(resolve));
    await product.close();
  }, 60_000);

  async function stranger(username: string): Promise<Stranger> {
    const walker = await startWalker(`${SHAPE}/${username}`);
    return { ...walker, username, email: unknownEmail(), phone: unknownPhone() };
  }

  // Pages look the same in every shape, and looking takes its time.
  const look = async (walker: Walker, name: string) => {
    if (SHAPE !== 'stack') faults.push(...(await walker.look(name)));
  };

  async function signUp(who: Stranger): Promise<void> {
    const { username, email, phone } = who;
    await who.open('/account/sign-up');
    const names = { first_name: username.replace(/^./, (letter) => letter.toUpperCase()), last_name: 'Newman' };
    await who.fill({ ...names, username, email, phone, password: NEW_PASSWORD });
    await who.press('Sign up');
    await who.fill({ code: await codeTo(email) });
    await who.press('Continue');
    await who.fill({ code: await codeTo(phone) });
    await who.press('Continue');
    expect(await who.page.textContent('.tag')).toBe('identity verified');
  }

  /** Lets the app in; answers what comes back to it. */
  async function letIn(who: Stranger, responseType: 'code' | 'token'): Promise<URLSearchParams> {
    await who.page.goto(authorizeUrl({ client_id: clientId, scope: SCOPE, response_type: responseType }));
    await who.press('Allow');
    await who.page.waitForURL(`${appUrl}*`);
    return new URL(who.page.url()).searchParams;
  }

  /** What the app knows about the user who authorized it. */
  async function personBehind(token: string, { email, phone }: Stranger): Promise<Person> {
    const { body } = await call<WireMe>('/me', { token });
    return personWith({ id: body.data.user.id, email, phone, token });
  }

  // Shows friend-24, demo-9
  it('given an empty data folder, when two strangers sign up, then both are there, and become friends', async () => {
    await Promise.all([signUp(dora), signUp(emil)]);
    await dora.open('/account/friends');
    await dora.fill({ username: 'emil' });
    await dora.press('Send request');
    await look(dora, 'asked');
    await emil.open('/account/friends');
    await look(emil, 'is-asked');
    await emil.press('Accept');
    await dora.open('/account/friends');
    expect(await dora.page.textContent('section[aria-labelledby=friends]')).toContain('@emil');
    await look(dora, 'friends');
  });

  // Shows friend-24
  it('given a test card, when it is added, then the page shows its last digits', async () => {
    await dora.open('/account/funding');
    await look(dora, 'no-card');
    await dora.fill({ ...CARD, expiry: '01/20' });
    await dora.press('Add card');
    expect(await dora.page.inputValue('[name=card_number]')).toBe('');
    await look(dora, 'card-with-a-fault');
    await dora.fill(CARD);
    await dora.press('Add card');
    expect(await dora.page.textContent('li.row')).toContain('4242');
    await look(dora, 'card');
  });

  // Shows friend-24
  it('given a verified user, when an app is registered, then it has an id and a secret', async () => {
    await dora.open('/developers');
    await look(dora, 'no-apps');
    const app = { name: 'Tea round', description: 'Splits the bill.', site_url: 'https://tea.example/' };
    await dora.fill({ ...app, redirect_url: appUrl });
    await dora.press('Register');
    clientId = /\/apps\/(\w+)/.exec(dora.page.url())?.[1] ?? '';
    await look(dora, 'app');
    await dora.press('Create a secret');
    clientSecret = (await dora.page.locator('dl dd').nth(1).textContent()) ?? '';
    expect(clientSecret).toMatch(/^[\w-]{43}$/);
    await look(dora, 'app-with-its-secret');
    await dora.open('/developers');
    await look(dora, 'apps');
  });

  // Shows friend-24
  it('given the app, when its owner lets it in by each flow, then it has a token by each', async () => {
    const back = await letIn(dora, 'token');
    payer = await personBehind(back.get('access_token') ?? '', dora);
    const code = (await letIn(dora, 'code')).get('code') ?? '';
    const { status, tokens } = await askForTokens({ client_id: clientId, client_secret: clientSecret, code });
    expect([status, tokens.user.username]).toEqual([200, 'dora']);
    payerByCode = await personBehind(tokens.access_token, dora);
    expect(await payerByCode.balanceCents()).toBe(100_00);
    await dora.open('/account/apps');
    await look(dora, 'connected-apps');
  });

  // Shows friend-24
  it('given both tokens, when one pays the friend and one an unused phone number, then the money arrives, also when its owner signs up later', async () => {
    const payee = await personBehind((await letIn(emil, 'token')).get('access_token') ?? '', emil);
    expect((await payer.send({ user_id: payee.id }, '20')).body.data.payment.status).toBe('settled');
    // More than is left: with the card.
    expect((await payer.send({ user_id: payee.id }, '90.50')).body.data.payment.status).toBe('settled');
    expect(await payee.balanceCents()).toBe(110_50);
    const held = await payerByCode.send({ phone: frida.phone }, '12.34');
    expect(held.body.data.payment.status).toBe('pending');

    await signUp(frida);
    await look(frida, 'proven');
    const owner = await personBehind((await letIn(frida, 'token')).get('access_token') ?? '', frida);
    await eventually(async () => expect(await owner.balanceCents()).toBe(12_34));
    expect((await payer.read(held.body.data.payment.id)).body.data.status).toBe('settled');
    expect(await payer.balanceCents()).toBe(67_66);
  });

  it('given all these pages, then axe finds nothing, none is too wide, and the browser refused nothing', () => {
    expect([...faults, ...[dora, emil, frida].flatMap(({ complaints }) => complaints)]).toEqual([]);
  });
});
