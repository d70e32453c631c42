import { DEMO_APP, SCOPES } from '@settle/contracts';
import { Browser, type Form, type Page, unescapeHtml } from './browser.js';
import { registerApp, createSecret, pageHref, submitAppForm } from './developer.js';
import { requestVerification, awaitCode, NEW_PASSWORD, type SignedUpUser, pageUrl, signUp } from './sign-up.js';
import { unknownEmail, unknownPhone } from './users.js';
import { authorizeUrl, callbackUrl, isCardPage } from './sign-in.js';
import { enterCard } from './card-page.fixture.js';
import { MoneyPage } from './money-page.fixture.js';

/** The browser of the user does not follow a redirect to this path. */
const ELSEWHERE = `https://app.example${DEMO_APP.redirectPath}`;
/** Buttons that end the session or the account. */
const LEAVING = /^\/(?:v1\/oauth\/sign-out|account\/sign-out(?:-everywhere)?)$/;

/** Pages and files, with `:id` for generated ids. */
const TO_BE_SEEN = [
  ...['/', '/docs', '/openapi.json', '/dev/mailbox', '/v1/oauth/assets/settle.css', '/v1/oauth/assets/settle.svg'],
  ...['/account', '/account/friends', '/account/funding', '/account/security', '/account/apps', '/pictures/NN.svg'],
  ...['/account/addresses/email/code', '/developers', '/developers/apps/:id', '/v1/oauth/authorize'],
  ...['/account/sign-in', '/account/sign-up', '/account/reset'],
];
const TO_BE_PRESSED = [
  ...['/account', '/account/addresses/email', '/account/addresses/email/code', '/account/addresses/email/code/again'],
  ...[
    '/account/friends',
    '/account/friends/:id',
    '/account/funding/deposits',
    '/account/funding/sources',
    '/account/funding/sources/remove',
    '/account/funding/withdrawals',
    '/account/apps/amount',
    '/account/apps/revoke',
  ],
  ...['/account/password', '/account/sign-out', '/account/sign-out-everywhere', '/account/sign-in', '/account/reset'],
  ...['/account/sign-up', '/developers/apps', '/developers/apps/:id', '/developers/apps/:id/secret'],
  '/developers/apps/:id/secret/end-former',
  ...['/developers/apps/:id/token', '/developers/apps/:id/delete', '/v1/oauth/consent', '/v1/oauth/sign-out'],
];

const kindOf = (pathname: string): string =>
  pathname.replace(/\/\d{15,}(?=[./]|$)[^/]*/g, '/:id').replace(/(?<=^\/developers\/apps\/)[^/]+/, ':id');

/** Returns the addresses on a page, without their fragments. */
function linksOf({ html, url }: Page): URL[] {
  return [...html.matchAll(/\s(?:href|src)="([^"#]+)/g)].map(([, link = '']) => new URL(unescapeHtml(link), url));
}

interface Press {
  readonly from: Page;
  /** Whether the page is opened again for the next button, because some buttons work once. */
  readonly isOpened: boolean;
  readonly form: Form;
  readonly button: Form['buttons'][number] | undefined;
}

/** Follows every link and presses every button of the pages, each once. */
class Crawl {
  readonly seen = new Set<string>();
  readonly pressed = new Set<string>();
  readonly #toOpen: URL[] = [];
  readonly #toPress: Press[] = [];
  #hasPressed = false;

  constructor(
    private readonly browser: Browser,
    /** Values for fields that are empty initially. */
    private readonly typed: Readonly<Record<string, string>>,
  ) {}

  async from(...starts: readonly URL[]): Promise<void> {
    this.#toOpen.push(...starts);
    for (;;) {
      const link = this.#toOpen.shift();
      if (link !== undefined) await this.#open(link);
      else if (this.#toPress.length === 0) return;
      else await this.#press(this.#nextPress());
    }
  }

  async #open(link: URL): Promise<void> {
    const { origin } = new URL(pageUrl('/'));
    expect([link.href, link.origin]).toEqual([link.href, origin]);
    const key = kindOf(link.pathname) + link.search;
    if (this.seen.has(key)) return;
    this.seen.add(key);
    const page = await this.browser.open(link);
    // An earlier page may link to an object that a button has removed since.
    const isBroken = page.status >= 400 && this.#hasPressed === false;
    expect([link.pathname, page.status, isBroken]).toEqual([link.pathname, page.status, false]);
    this.#lookAt(page, true);
  }

  async #press({ from, isOpened, form: known, button }: Press): Promise<void> {
    this.#hasPressed = true;
    const page = isOpened ? await this.browser.open(from.url) : from;
    const isSame = ({ action, buttons }: Form) =>
      action === known.action && (button === undefined || buttons.some(({ label }) => label === button.label));
    const form = page.forms.find(isSame) ?? known;
    const blank = Object.keys(form.fields).filter((name) => form.fields[name] === '');
    const typed = blank.map((name) => [name, this.typed[name] ?? ''] as const);
    const body = new URLSearchParams({ ...form.fields, ...Object.fromEntries(typed) });
    for (const [name, value] of form.ticked) body.append(name, value);
    if (button !== undefined && button.name !== '') body.set(button.name, button.value);
    const action = new URL(form.action, from.url);
    this.#lookAt(await this.browser.send(action, form.method, body), false);
  }

  /** Returns the next button; those that end a session come last. */
  #nextPress(): Press {
    const at = this.#toPress.findIndex(({ form, from }) => !LEAVING.test(new URL(form.action, from.url).pathname));
    return this.#toPress.splice(Math.max(at, 0), 1)[0] as Press;
  }

  #lookAt(page: Page, isOpened: boolean): void {
    expect([page.url.pathname, page.status < 500]).toEqual([page.url.pathname, true]);
    if (isCardPage(page.url)) return;
    if (page.url.origin !== pageUrl('/').origin) {
      expect(page.url.origin + page.url.pathname).toBe(ELSEWHERE);
      return;
    }
    this.seen.add(kindOf(page.url.pathname));
    if (!page.headers.get('content-type')?.startsWith('text/html')) {
      expect([page.url.pathname, page.headers.get('x-content-type-options')]).toEqual([page.url.pathname, 'nosniff']);
      return;
    }
    this.#toOpen.push(...linksOf(page));
    for (const form of page.forms) {
      const { pathname } = new URL(form.action, page.url);
      for (const button of form.buttons.length > 0 ? form.buttons : [undefined]) {
        const key = `${kindOf(pathname)} ${button?.label ?? ''}`;
        if (this.pressed.has(key)) continue;
        this.pressed.add(key);
        this.#toPress.push({ from: page, isOpened, form, button });
      }
    }
  }
}

describe('every page, link and button', () => {
  let user: SignedUpUser;
  let browser: Browser;
  let starts: URL[];

  beforeAll(async () => {
    const phone = unknownPhone();
    user = await signUp({ phone });
    const others = [await signUp(), await signUp()];
    browser = user.browser;
    const codePage = await browser.open(pageUrl('/account/addresses/phone/code'));
    await browser.submit(codePage, { code: await awaitCode(phone) }, 'Continue');
    for (const { username } of others) {
      await browser.submit(await browser.open(pageUrl('/account/friends')), { username }, 'Send request');
    }
    await new MoneyPage(user, { enterCard }).addCard('4242 4242 4242 4242');
    const clientId = await registerApp(browser, { name: 'Crawled', redirect_url: ELSEWHERE });
    for (let made = 0; made < 2; made += 1) await createSecret(browser, clientId);
    expect((await submitAppForm(browser, { name: 'Other', redirect_url: callbackUrl() })).status).toBe(200);
    const proving = await requestVerification(user, 'email', unknownEmail());
    const asking = { client_id: clientId, scope: SCOPES.join(' ') };
    const authorizing = [asking, { ...asking, scope: 'nonsense' }].map(authorizeUrl);
    starts = [pageHref('/'), pageHref('/account'), callbackUrl(), proving.url, ...authorizing].map(
      (url) => new URL(url),
    );
  });

  // Shows friend-17
  it('given a signed-in user, when every link is followed and every button pressed, then no page fails, no form goes to another site, redirects go only to registered addresses, and every page has strict headers', async () => {
    const typed = {
      ...{ username: user.username, password: NEW_PASSWORD, current_password: NEW_PASSWORD, amount: '1' },
      ...{ name: 'Another', redirect_url: ELSEWHERE, site_url: 'https://app.example/', description: 'Crawled.' },
      ...{ address: unknownEmail(), email: unknownEmail(), login: user.username, code: '000000' },
    };
    const crawl = new Crawl(browser, typed);
    await crawl.from(...starts);
    expect(TO_BE_SEEN.filter((path) => !crawl.seen.has(path))).toEqual([]);
    const pressed = new Set([...crawl.pressed].map((key) => key.split(' ')[0]));
    expect(TO_BE_PRESSED.filter((path) => !pressed.has(path))).toEqual([]);
  });
});
