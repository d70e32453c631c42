import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { DEMO_PASSWORD } from '@settle/contracts';
import { createSecret, openSignedInBrowser, registerApp } from './developer.js';
import { startInspector, type PageInspector } from './page-inspector.fixture.js';
import { authorizeUrl } from './sign-in.js';

const SCOPE = 'make_payments access_profile';

describe('an app whose callback redirects on to another origin, in Chromium', () => {
  /** Redirects from its callback at the IP address to its page at the host name, which is another origin. */
  const app: Server = createServer((request, response) => {
    const url = new URL(request.url ?? '', 'http://app.invalid');
    if (url.pathname === '/callback') response.writeHead(302, { location: `${appPage}${url.search}` }).end();
    else response.end('Welcome to the app.');
  });
  let appPage: string;
  let clientId: string;
  let user: PageInspector;

  beforeAll(async () => {
    await new Promise<void>((resolve) => app.listen(0, resolve));
    const { port } = app.address() as AddressInfo;
    appPage = `http://localhost:${port}/welcome`;
    const alice = await openSignedInBrowser('alice');
    clientId = await registerApp(alice, { name: 'Two hosts', redirect_url: `http://127.0.0.1:${port}/callback` });
    await createSecret(alice, clientId);
    user = await startInspector(`${process.env.E2E_SHAPE ?? 'running'}/to-an-app`);
  });
  afterAll(async () => {
    await user.close();
    await new Promise((resolve) => app.close(resolve));
  });

  const request = (responseType: 'code' | 'token') =>
    user.page.goto(authorizeUrl({ client_id: clientId, scope: SCOPE, response_type: responseType }));
  const signIn = async () => {
    await user.fill({ username: 'bob', password: DEMO_PASSWORD });
    await user.press('Sign in');
  };
  /** Waits for the page of the app. Returns the parameters that arrived there. */
  const arrive = async () => {
    await user.page.waitForURL(`${appPage}*`);
    expect(await user.page.textContent('body')).toBe('Welcome to the app.');
    return new URL(user.page.url()).searchParams;
  };

  it('given a user who signs in, when they allow the app by either flow, then the browser arrives at its page', async () => {
    await request('token');
    await signIn();
    await user.press('Allow');
    expect((await arrive()).get('access_token')).toMatch(/^[\w-]{43,}$/);
    await request('code');
    await user.press('Allow');
    expect((await arrive()).get('code')).not.toBeNull();
  });

  it('given a remembered consent and a user who is signed out, when they sign in, then the browser arrives at the page', async () => {
    await user.page.context().clearCookies();
    await request('code');
    await signIn();
    expect((await arrive()).get('code')).not.toBeNull();
    // The account's sign-in page leads there, too.
    await user.page.context().clearCookies();
    await request('code');
    await user.page.click('text=Create an account');
    await user.page.click('main a:text-is("Sign in")');
    await signIn();
    expect((await arrive()).get('code')).not.toBeNull();
  });

  it('given the consent page, when the user denies, then the browser arrives at the page with the error', async () => {
    await request('token');
    await user.press('Deny');
    expect((await arrive()).get('error')).toBe('access_denied');
  });

  it('given the consent page, when the user presses Enter in a field or on a box, then nothing is decided and the input stays', async () => {
    await request('token');
    await user.fill({ amount_per_day: '12.50' });
    await user.page.uncheck('[value=access_profile]');
    for (const field of ['[name=amount_per_day]', '[value=access_profile]']) {
      await user.page.press(field, 'Enter');
      await user.page.waitForSelector('text=Nothing is decided yet');
      expect(await user.page.inputValue('[name=amount_per_day]')).toBe('12.50');
      expect(await user.page.isChecked('[value=access_profile]')).toBe(false);
    }
    expect(await user.inspect('undecided')).toEqual([]);
    await user.press('Allow');
    expect((await arrive()).get('scope')).toBe('make_payments');
  });

  it('given all these pages, when the browser is asked, then it reports no violation', () => {
    expect(user.complaints).toEqual([]);
  });
});
