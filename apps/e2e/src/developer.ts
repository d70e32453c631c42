import type { Browser, Page } from './browser.js';
import { baseUrl } from './client.js';
import { newBrowser } from './sign-in.js';
import { DEMO_PASSWORD } from '@settle/contracts';

/** The fields of the registration form of an app. */
export interface AppForm {
  readonly name: string;
  readonly redirect_url: string;
  readonly more_redirect_urls?: string;
  readonly builds_addresses?: string;
  readonly codes_only?: string;
  readonly requires_pkce?: string;
  readonly legacy_answers?: string;
}

/** Returns the URL of a page of the product. */
export const pageHref = (path: string): string => new URL(path, baseUrl()).href;

/** Returns a browser in which a demo user is signed in. */
export async function openSignedInBrowser(username: string): Promise<Browser> {
  const browser = newBrowser();
  const page = await browser.open(pageHref('/account/sign-in'));
  await browser.submit(page, { username, password: DEMO_PASSWORD }, 'Sign in');
  return browser;
}

/** Sends the registration form. Returns the page of the app, or the form with its errors. */
export async function submitAppForm(browser: Browser, form: AppForm): Promise<Page> {
  const page = await browser.open(pageHref('/developers'));
  const site = { description: 'For specs.', site_url: 'https://app.example/' };
  return browser.submit(page, { ...site, more_redirect_urls: '', ...form }, 'Register');
}

/** Registers an app and returns its id. */
export async function registerApp(browser: Browser, form: AppForm): Promise<string> {
  const { url, html } = await submitAppForm(browser, form);
  const [, clientId] = /^\/developers\/apps\/(\w+)$/.exec(url.pathname) ?? [];
  if (clientId === undefined) throw new Error(`No app was registered: ${html}`);
  return clientId;
}

/** Creates a secret on the app's page and returns it. */
export async function createSecret(browser: Browser, clientId: string): Promise<string> {
  const page = await openAppPage(browser, clientId);
  const label = page.html.includes('Create a new secret') ? 'Create a new secret' : 'Create a secret';
  const { html } = await browser.submit(page, {}, label);
  const [, secret = ''] = /<dt>client_secret<\/dt><dd><code>([\w-]{43})<\/code>/.exec(html) ?? [];
  return secret;
}

/** Opens the page of one of the user's apps. */
export const openAppPage = (browser: Browser, clientId: string): Promise<Page> =>
  browser.open(pageHref(`/developers/apps/${clientId}`));

/** Presses the button beside an app on the page of connected apps. */
export async function revokeAccess(browser: Browser, clientId: string): Promise<void> {
  const page = await browser.open(pageHref('/account/apps'));
  const form = page.forms.find(({ action, fields }) => action.endsWith('/revoke') && fields.app === clientId);
  if (form === undefined) throw new Error(`The app is not connected: ${page.html}`);
  await browser.send(new URL(form.action, page.url), 'POST', new URLSearchParams(form.fields));
}
