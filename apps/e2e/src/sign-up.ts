import { SCOPES } from '@settle/contracts';
import { eventually } from '@settle/testing';
import { unescapeHtml, type Browser, type Page } from './browser.js';
import { baseUrl, call } from './client.js';
import { buildTestUser, unknownEmail, type TestUser } from './users.js';
import { authorizeUrl, newBrowser } from './sign-in.js';
import type { WireMe } from './wire.js';

export const NEW_PASSWORD = 'wet grass at noon';

/** A user who has signed up on the pages, with the browser. */
export interface SignedUpUser extends TestUser {
  readonly username: string;
  readonly browser: Browser;
}

export const pageUrl = (path: string): URL => new URL(path, baseUrl());

/** Returns the messages to an address, newest first, from the mailbox page. */
export async function fetchMessages(address: string): Promise<string[]> {
  const { html } = await newBrowser().open(pageUrl('/dev/mailbox'));
  const sections = html.split('<section class="message">').slice(1);
  return sections
    .filter((section) => unescapeHtml(/<strong><bdi>([^<]*)/.exec(section)?.[1] ?? '') === address)
    .map((section) => unescapeHtml(/<p class="text">([^<]*)/.exec(section)?.[1] ?? ''));
}

/** Returns the newest code for the address, once `sent` codes were sent. */
export async function awaitCode(address: string, sent = 1): Promise<string> {
  return eventually(async () => {
    const codes = (await fetchMessages(address)).flatMap((text) => /^\d{6}/.exec(text)?.[0] ?? []);
    const [newest] = codes;
    if (newest === undefined || codes.length < sent) throw new Error(`${codes.length} codes were sent.`);
    return newest;
  });
}

let drawn = 0;

/** Returns names that no user has yet. */
export function drawNames(): { first_name: string; last_name: string; username: string } {
  drawn += 1;
  const username = `new${Date.now().toString(36)}${process.pid.toString(36)}${drawn}`;
  return { first_name: 'Nora', last_name: 'Newman', username };
}

/** Sends the sign-up form and returns the page that requests the code. */
export async function submitSignUp(
  browser: Browser,
  fields: Readonly<Record<string, string>>,
  from = '/account/sign-up',
): Promise<Page> {
  const page = await browser.open(pageUrl(from));
  return browser.submit(page, { ...drawNames(), phone: '', password: NEW_PASSWORD, ...fields }, 'Sign up');
}

/** Returns a new IP address for each user, because one address may not request as many codes as all specs need. */
function elsewhere(): string {
  const host = (process.pid * 1_000 + drawn) % 2 ** 16;
  return `198.18.${host >> 8}.${host & 255}`;
}

/** Signs up and verifies the e-mail address. A phone number, if given, stays unverified. */
export async function signUp(
  fields: { readonly phone?: string; readonly email?: string; readonly last_name?: string } = {},
): Promise<SignedUpUser> {
  const browser = newBrowser(elsewhere());
  const email = fields.email ?? unknownEmail();
  const { username, ...names } = drawNames();
  const { phone = '', last_name = names.last_name } = fields;
  const page = await submitSignUp(browser, { ...names, last_name, username, email, phone });
  await browser.submit(page, { code: await awaitCode(email) }, 'Continue');
  const consent = await browser.open(authorizeUrl({ scope: SCOPES.join(' ') }));
  const back = await browser.submit(consent, {}, 'Allow');
  const token = back.url.searchParams.get('access_token') ?? '';
  const me = await call<WireMe>('/me', { token });
  return { ...buildTestUser({ id: me.body.data.user.id, email, phone, token }), username, browser };
}

/** Requests a code for another address of a user and returns the page that requests the code. */
export async function requestVerification(
  { browser }: Pick<SignedUpUser, 'browser'>,
  kind: 'email' | 'phone',
  address: string,
): Promise<Page> {
  const account = await browser.open(pageUrl('/account'));
  const form = account.forms.find(({ action }) => action === `/account/addresses/${kind}`);
  const fields = { ...form?.fields, address, current_password: NEW_PASSWORD };
  return browser.send(pageUrl(`/account/addresses/${kind}`), 'POST', new URLSearchParams(fields));
}

/** Verifies another e-mail address of a user. */
export async function verifyEmail(user: Pick<SignedUpUser, 'browser'>, email: string): Promise<void> {
  const page = await requestVerification(user, 'email', email);
  const verified = await user.browser.submit(page, { code: await awaitCode(email) }, 'Continue');
  expect(verified.url.search).toBe('?done=proven');
}

/** Makes two users friends on their pages. */
export async function befriend(requester: SignedUpUser, recipient: SignedUpUser): Promise<void> {
  const openFriends = ({ browser }: SignedUpUser) => browser.open(pageUrl('/account/friends'));
  await requester.browser.submit(await openFriends(requester), { username: recipient.username }, 'Send request');
  await recipient.browser.submit(await openFriends(recipient), {}, 'Accept');
}
