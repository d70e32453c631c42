import { SCOPES } from '@settle/contracts';
import { Browser } from './browser.js';
import { call, baseUrl } from './client.js';
import type { CaughtMail } from './caught-messages.fixture.js';
import { NEW_PASSWORD, pageUrl, type SignedUpUser } from './sign-up.js';
import { authorizeUrl } from './sign-in.js';
import { buildTestUser } from './users.js';
import type { WireMe } from './wire.js';

/** The app through which users of a product without demo data use the API. It answers no request. */
export const OWN_APP = { clientId: '77001', redirectUrl: 'http://127.0.0.1:9/back' };

/** Signs up in production and verifies the e-mail address. The token is empty until `authorizeOwnApp`. */
export async function signUpInProduction(username: string, mail: CaughtMail): Promise<Omit<SignedUpUser, 'token'>> {
  const browser = new Browser(({ origin }) => origin !== new URL(baseUrl()).origin);
  const email = `${username}@example.com`;
  const names = { first_name: username.replace(/^./, (letter) => letter.toUpperCase()), last_name: 'Newman', username };
  const form = await browser.open(pageUrl('/account/sign-up'));
  const codePage = await browser.submit(form, { ...names, email, phone: '', password: NEW_PASSWORD }, 'Sign up');
  await browser.submit(codePage, { code: await mail.code(email) }, 'Continue');
  return { ...buildTestUser({ id: '', email, phone: '', token: '' }), username, browser };
}

/** Authorizes the app as a user. Returns the user with a token of every scope. */
export async function authorizeOwnApp(
  user: Pick<SignedUpUser, 'username' | 'browser' | 'email'>,
): Promise<SignedUpUser> {
  const { browser, username, email } = user;
  const consent = await browser.open(authorizeUrl({ client_id: OWN_APP.clientId, scope: SCOPES.join(' ') }));
  const back = await browser.submit(consent, {}, 'Allow');
  const token = back.url.searchParams.get('access_token') ?? '';
  const { body } = await call<WireMe>('/me', { token });
  return { ...buildTestUser({ id: body.data.user.id, email, phone: '', token }), username, browser };
}
