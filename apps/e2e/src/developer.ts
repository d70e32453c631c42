import type { Browser, Page } from './browser.js';
import { baseUrl } from './client.js';
import { newBrowser } from './sign-in.js';
import { DEMO_PASSWORD } from '@settle/contracts';

/** An app as its developer fills in the form. */
export interface AppForm {
  readonly name: string;
  readonly redirect_url: string;
  readonly more_redirect_urls?: string;
  readonly builds_addresses?: string;
  readonly codes_only?: string;
  readonly requires_pkce?: string;
  readonly legacy_answers?: string;
}

/** Of a page below the public address. */
export const pageAt = (path: string): string => new URL(path, baseUrl()).href;

/** A browser in which a demo user is signed in. */
export async function signedInBrowser(username: string): Promise<Browser> {
  const browser = newBrowser();
  const page = await browser.open(pageAt('/account/sign-in'));
  await browser.submit(page, { username, password: DEMO_PASSWORD }, 'Sign in');
  return browser;
}

/** Registers an app; answers its page, or the form again with what is wrong. */
export async function register(browser: Browser, form: AppForm): Promise<Page> {
  const page = await browser.open(pageAt('/developers'));
  const site = { description: 'For specs.', site_url: 'https://app.example/' };
  return browser.submit(page, { ...site, more_redirect_urls: '', ...form }, 'Register');
}

/** Registers an app and answers its id. */
export async function newApp(browser: Browser, form: AppForm): Promise<string> {
  const { url, html } = await register(browser, form);
  const [, clientId] = /^\/developers\/apps\/(\w+)$/.exec(url.pathname) ?? [];
  if (clientId === undefined) throw new Error(`No app was registered: ${html}`);
  return clientId;
}

/** Presses "Create a secret" on the app's page. */
export async function newSecret(browser: Browser, clientId: string): Promise<string> {
  const page = await appPage(browser, clientId);
  const label = page.html.includes('Create a new secret') ? 'Create a new secret' : 'Create a secret';
  const { html } = await browser.submit(page, {}, label);
  const [, secret = ''] = /<dt>client_secret<\/dt><dd><code>([\w-]{43})<\/code>/.exec(html) ?? [];
  return secret;
}

/** Of an app of the user. */
export const appPage = (browser: Browser, clientId: string): Promise<Page> =>
  browser.open(pageAt(`/developers/apps/${clientId}`));

/** Presses the button beside an app on the page of connected apps. */
export async function takeBack(browser: Browser, clientId: string): Promise<void> {
  const page = await browser.open(pageAt('/account/apps'));
  const form = page.forms.find(({ action, fields }) => action.endsWith('/revoke') && fields.app === clientId);
  if (form === undefined) throw new Error(`The app is not connected: ${page.html}`);
  await browser.send(new URL(form.action, page.url), 'POST', new URLSearchParams(form.fields));
}
