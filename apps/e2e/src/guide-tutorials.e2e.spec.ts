import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { DEMO_PASSWORD, DEMO_USERS } from '@settle/contracts';
import { eventually, freePort } from '@settle/testing';
import { Browser } from './browser.js';
import { prepareDedicatedProduct } from './dedicated-product.js';
import { createSecret, openSignedInBrowser, registerApp, revokeAccess } from './developer.js';
import { GUIDE_TIMEOUT_MS, ReaderFolder } from './guide.fixture.js';

const product = prepareDedicatedProduct();
beforeAll(() => product.start(), GUIDE_TIMEOUT_MS);
afterAll(() => product.close(), GUIDE_TIMEOUT_MS);

describe('the tutorials', () => {
  const folder = new ReaderFolder();
  afterAll(() => folder.remove());

  it.each([
    ['split-a-bill', ['bill', 'charge', 'decide', 'status']],
    ['outcome-unknown', ['order', 'pay', 'lose-responses', 'find']],
  ])(
    'given a new folder, when the page %s is followed, then the output is that of the page and the types fit',
    async (page, programs) => {
      await folder.follow(`tutorials/${page}.md`);
      await folder.checkTypes(...programs.map((name) => `${page}/${name}.mts`));
    },
    GUIDE_TIMEOUT_MS,
  );
});

describe('the web app of the tutorial about OAuth', () => {
  let folder: ReaderFolder;
  let app: ChildProcess;
  let origin: string;
  let clientId: string;

  beforeAll(async () => {
    const port = await freePort();
    origin = `http://localhost:${port}`;
    const alice = await openSignedInBrowser('alice');
    clientId = await registerApp(alice, { name: 'Balance board', redirect_url: `${origin}/callback` });
    const secret = await createSecret(alice, clientId);
    folder = new ReaderFolder({ CLIENT_ID: clientId, CLIENT_SECRET: secret, APP_PORT: String(port) });
    await folder.follow('tutorials/oauth-web-app.md');
    await folder.checkTypes('oauth-web-app/app.mts');
    const options = { cwd: path.join(folder.path, 'oauth-web-app'), env: folder.environment() };
    app = spawn(process.execPath, ['app.mts'], { ...options, stdio: ['ignore', 'pipe', 'ignore'] });
    if (app.stdout === null) throw new Error('The app has no output.');
    const [line] = await once(createInterface(app.stdout), 'line');
    expect(line).toBe(`Open ${origin}/log-in`);
  }, GUIDE_TIMEOUT_MS);
  afterAll(() => {
    app.kill();
    folder.remove();
  });

  const HOME = /^Hello Bob Baker, you have \d+\.\d\d$/;
  const tokensFile = () => path.join(folder.path, 'oauth-web-app/tokens.json');
  const open = (address: string, cookie: string) =>
    fetch(new URL(address, origin), { redirect: 'manual', headers: { cookie } });
  const cookieOf = ({ headers }: Response) => headers.get('set-cookie')?.split(';')[0] ?? '';

  /** Signs bob in at Settle, who presses a button. Returns the cookie at the app and the address to which Settle sends the browser. */
  async function authorize(button: string): Promise<{ cookie: string; back: URL }> {
    const start = await open('/log-in', '');
    const browser = new Browser((url) => url.origin === origin);
    const signIn = await browser.open(start.headers.get('location') ?? '');
    const consent = await browser.submit(signIn, { username: 'bob', password: DEMO_PASSWORD });
    const { url: back } = await browser.submit(consent, {}, button);
    return { cookie: cookieOf(start), back };
  }

  it('given a user who denies, when the browser comes back, then the user is not logged in', async () => {
    const { cookie, back } = await authorize('Deny');
    const response = await open(back.href, cookie);
    expect([response.status, cookieOf(response)]).toEqual([303, '']);
    expect(await (await open('/', cookie)).text()).toBe('Log in at /log-in');
  });

  it('given a user who allows, when the browser comes back, then only this browser is logged in until the user revokes', async () => {
    const { cookie, back } = await authorize('Allow');
    const another = await open('/log-in', '');
    expect((await open(back.href, cookieOf(another))).status).toBe(400);
    const loggedIn = cookieOf(await open(back.href, cookie));
    expect(await (await open('/', cookie)).text()).toBe('Log in at /log-in');
    expect(await (await open('/', loggedIn)).text()).toMatch(HOME);
    expect((await open(back.href, cookie)).status).toBe(400);

    const { id } = DEMO_USERS.bob;
    const stored = JSON.parse(readFileSync(tokensFile(), 'utf8')) as Record<string, { refreshToken: string }>;
    writeFileSync(tokensFile(), JSON.stringify({ [id]: { ...stored[id], accessToken: 'expired' } }));
    expect(await (await open('/', loggedIn)).text()).toMatch(HOME);
    const renewed = JSON.parse(readFileSync(tokensFile(), 'utf8')) as typeof stored;
    expect(renewed[id]?.refreshToken).not.toBe(stored[id]?.refreshToken);

    await revokeAccess(await openSignedInBrowser('bob'), clientId);
    await eventually(async () =>
      expect(await (await open('/', loggedIn)).text()).toBe('The authorization has ended. Log in at /log-in'),
    );
  });
});
