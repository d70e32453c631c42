import { DEMO_APP, DEMO_PASSWORD, SCOPES, type Scope } from '@settle/contracts';
import { Browser, type Page } from './browser.js';
import { baseUrl, encode } from './client.js';

/** Returns the redirect URI of the demo app. */
export function callbackUrl(): string {
  return new URL(DEMO_APP.redirectPath, baseUrl()).href;
}

export function newBrowser(from?: string): Browser {
  return new Browser((url) => url.pathname === DEMO_APP.redirectPath || isCardPage(url), from);
}

/** Whether the address is the page on which the provider of the product under test lets a user enter a card. */
export function isCardPage({ origin, pathname }: URL): boolean {
  return origin !== new URL(baseUrl()).origin && /^\/cards\/[a-z_0-9]+$/.test(pathname);
}

export interface Authorization {
  readonly client_id?: string;
  readonly scope?: string | undefined;
  readonly redirect_uri?: string | undefined;
  readonly state?: string;
  readonly response_type?: string;
  readonly code_challenge?: string;
  readonly code_challenge_method?: string;
}

export function authorizeUrl(request: Authorization): string {
  return `${baseUrl()}/oauth/authorize?${encode({ client_id: DEMO_APP.clientId, ...request })}`;
}

/** Opens the authorization page and signs in there. Returns the consent page. */
export async function signIn(browser: Browser, username: string, request: Authorization): Promise<Page> {
  const page = await browser.open(authorizeUrl(request));
  return browser.submit(page, { username, password: DEMO_PASSWORD });
}

/** Opens an authorization URL of a client as carol and allows it. Returns the redirect to the app. */
export async function allowAsCarol(url: string): Promise<URL> {
  const browser = newBrowser();
  const page = await browser.submit(await browser.open(url), { username: 'carol', password: DEMO_PASSWORD });
  return page.forms.length === 0 ? page.url : (await browser.submit(page, {}, 'Allow')).url;
}

/** Returns the targets to which the policy of a page lets it submit forms. */
export function formTargets(page: Page): string[] {
  const policy = page.headers.get('content-security-policy') ?? '';
  const directive = policy.split(';').find((one) => one.trim().startsWith('form-action'));
  return directive?.trim().split(/\s+/).slice(1) ?? [];
}

const tokens = new Map<string, Promise<string>>();

/** Obtains a token through the pages, as an app does. */
export async function obtainToken(username: string, scopes: readonly Scope[]): Promise<string> {
  const browser = newBrowser();
  const consent = await signIn(browser, username, { scope: scopes.join(' ') });
  const back = await browser.submit(consent, {}, 'Allow');
  const token = back.url.searchParams.get('access_token');
  if (token === null) throw new Error(`No token came back for ${username}: ${back.url.search} ${back.html}`);
  return token;
}

/** Returns a token that is cached for this spec file. */
export async function loadToken(username: string, scopes: readonly Scope[] = SCOPES): Promise<string> {
  const name = `${baseUrl()} ${username} ${scopes.join(' ')}`;
  const kept = tokens.get(name) ?? obtainToken(username, scopes);
  tokens.set(name, kept);
  return kept;
}
