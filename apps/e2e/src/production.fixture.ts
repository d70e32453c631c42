import { SCOPES } from '@settle/contracts';
import { SPEC_DATA_KEY } from '@settle/testing';
import { Browser } from './browser.js';
import { call, baseUrl } from './client.js';
import type { CaughtMail } from './caught-messages.fixture.js';
import { runOperatorCommand } from './operator.fixture.js';
import type { ProviderUnderTest } from './provider-under-test.fixture.js';
import { NEW_PASSWORD, pageUrl, type SignedUpUser } from './sign-up.js';
import { authorizeUrl } from './sign-in.js';
import { buildTestUser } from './users.js';
import type { WireMe } from './wire.js';

/** Where users see the provider's pages: in production they must be https. */
export const PAGES_ORIGIN = 'https://pages.provider.example';

/** The key of notes, which production does not make: an operator's command that shows notes needs it, too. */
export const PRODUCTION_KEY = { DATA_KEY: SPEC_DATA_KEY };

/** Returns the settings of a product in production that sends e-mails here and uses the reference provider. */
export function productionSettings(mail: CaughtMail, provider: ProviderUnderTest): Readonly<Record<string, string>> {
  return {
    ...{ NODE_ENV: 'production', DEMO: 'false', RATE_LIMITS: 'on', ...mail.env, ...provider.env },
    ALLOW_TEST_PROVIDER: 'true',
    ...PRODUCTION_KEY,
  };
}

/** The app through which users of a product without demo data use the API. It answers no request. */
const OWN_APP = { clientId: '77001', redirectUrl: 'http://127.0.0.1:9/back' };

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

/** Lets a user own the app, as an operator does. */
export async function createOwnApp(owner: string): Promise<void> {
  const more = ['--owner', owner, '--name', 'Shop', '--redirect-url', OWN_APP.redirectUrl];
  expect(await runOperatorCommand('app', OWN_APP.clientId, ...more)).toMatchObject({ code: 0 });
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
