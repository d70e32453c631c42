import { SCOPES } from '@settle/contracts';
import { eventually } from '@settle/testing';
import { unescapeHtml, type Browser, type Page } from './browser.js';
import { baseUrl, call } from './client.js';
import { personWith, unknownEmail, type Person } from './people.js';
import { authorizeUrl, newBrowser } from './sign-in.js';
import type { WireMe } from './wire.js';

export const NEW_PASSWORD = 'wet grass at noon';

/** A user who has signed up on the pages, and the browser. */
export interface Newcomer extends Person {
  readonly username: string;
  readonly browser: Browser;
}

export const pageUrl = (path: string): URL => new URL(path, baseUrl());

/** What was sent to an address, newest first, as the mailbox page shows it. */
export async function messagesTo(address: string): Promise<string[]> {
  const { html } = await newBrowser().open(pageUrl('/dev/mailbox'));
  const sections = html.split('<section class="message">').slice(1);
  return sections
    .filter((section) => unescapeHtml(/<strong><bdi>([^<]*)/.exec(section)?.[1] ?? '') === address)
    .map((section) => unescapeHtml(/<p class="text">([^<]*)/.exec(section)?.[1] ?? ''));
}

/** The newest code that was sent there, once `sent` of them were. */
export async function codeTo(address: string, sent = 1): Promise<string> {
  return eventually(async () => {
    const codes = (await messagesTo(address)).flatMap((text) => /^\d{6}/.exec(text)?.[0] ?? []);
    const [newest] = codes;
    if (newest === undefined || codes.length < sent) throw new Error(`${codes.length} codes were sent.`);
    return newest;
  });
}

let drawn = 0;

/** Names that no user has yet. */
export function newNames(): { first_name: string; last_name: string; username: string } {
  drawn += 1;
  const username = `new${Date.now().toString(36)}${process.pid.toString(36)}${drawn}`;
  return { first_name: 'Nora', last_name: 'Newman', username };
}

/** Fills in the sign-up page; what comes back asks for the code. */
export async function askToSignUp(
  browser: Browser,
  fields: Readonly<Record<string, string>>,
  from = '/account/sign-up',
): Promise<Page> {
  const page = await browser.open(pageUrl(from));
  return browser.submit(page, { ...newNames(), phone: '', password: NEW_PASSWORD, ...fields }, 'Sign up');
}

/** Each at an IP address of their own: as many codes as all specs ask for would be refused to one. */
function elsewhere(): string {
  const host = (process.pid * 1_000 + drawn) % 2 ** 16;
  return `198.18.${host >> 8}.${host & 255}`;
}

/** Signs up and proves the e-mail address; the phone, if there is one, waits for its code. */
export async function signUp(fields: { readonly phone?: string; readonly email?: string } = {}): Promise<Newcomer> {
  const browser = newBrowser(elsewhere());
  const email = fields.email ?? unknownEmail();
  const { username, ...names } = newNames();
  const page = await askToSignUp(browser, { ...names, username, email, phone: fields.phone ?? '' });
  await browser.submit(page, { code: await codeTo(email) }, 'Continue');
  const consent = await browser.open(authorizeUrl({ scope: SCOPES.join(' ') }));
  const back = await browser.submit(consent, {}, 'Allow');
  const token = back.url.searchParams.get('access_token') ?? '';
  const me = await call<WireMe>('/me', { token });
  return { ...personWith({ id: me.body.data.user.id, email, phone: fields.phone ?? '', token }), username, browser };
}

/** Requests a code for another address of a user; returns the page that asks for the code. */
export async function askToProve(
  { browser }: Pick<Newcomer, 'browser'>,
  kind: 'email' | 'phone',
  address: string,
): Promise<Page> {
  const account = await browser.open(pageUrl('/account'));
  const form = account.forms.find(({ action }) => action === `/account/addresses/${kind}`);
  const fields = { ...form?.fields, address, current_password: NEW_PASSWORD };
  return browser.send(pageUrl(`/account/addresses/${kind}`), 'POST', new URLSearchParams(fields));
}

/** Has two users become friends on their pages. */
export async function befriend(asking: Newcomer, asked: Newcomer): Promise<void> {
  const openFriends = ({ browser }: Newcomer) => browser.open(pageUrl('/account/friends'));
  await asking.browser.submit(await openFriends(asking), { username: asked.username }, 'Send request');
  await asked.browser.submit(await openFriends(asked), {}, 'Accept');
}
