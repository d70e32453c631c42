import { DEMO_APP, DEMO_USERS, TOPICS, getAccount } from '@settle/contracts';
import { freshDatabase } from '@settle/testing';
import { parseForm } from '../../test/pages-browser.fixture.js';
import { signInDemoUser, startAuth, type StartedAuth } from '../../test/started-auth.fixture.js';

const QUERY = `client_id=${DEMO_APP.clientId}&scope=make_payments`;
const APP = {
  name: 'Split it',
  description: 'Splits bills.',
  site_url: 'https://app.example/',
  redirect_url: 'https://app.example/cb',
  more_redirect_urls: '',
};

let auth: StartedAuth;
/** The account flags that users-service returns. */
let accountFlags: object;
beforeAll(async () => {
  auth = await startAuth(await freshDatabase());
  auth.bus.handle(TOPICS.usersRequests, getAccount.pattern, () => Promise.resolve(accountFlags));
});
afterAll(() => auth.stop());

const countAppsOfBob = async () =>
  (await auth.pool.query('select from apps where owner_id = $1', [DEMO_USERS.bob.id])).rowCount;

describe('app registration', () => {
  // Shows token-36
  it.each([
    ['an unverified user', { isVerified: false, isBusiness: false, hasLegacyAccess: false }, false],
    ['a new business', { isVerified: true, isBusiness: true, hasLegacyAccess: false }, false],
    ['a business with legacy access', { isVerified: true, isBusiness: true, hasLegacyAccess: true }, true],
    ['a verified user', { isVerified: true, isBusiness: false, hasLegacyAccess: false }, true],
  ])('given %s, when they register an app with flags %j, then it is allowed: %s', async (_case, flags, mayRegister) => {
    accountFlags = flags;
    const { browser, consentPage } = await signInDemoUser(auth, QUERY, 'bob');
    const page = await (await browser.get('/developers')).text();
    expect(page.includes('action="/developers/apps"')).toBe(mayRegister);
    expect(page.includes('once you verify both an e-mail address and a phone number')).toBe(!flags.isVerified);
    const before = await countAppsOfBob();
    const { form_token } = parseForm(consentPage, '/v1/oauth/consent').fields;
    const response = await browser.post('/developers/apps', { ...APP, form_token: form_token! });
    expect([response.status, await countAppsOfBob()]).toEqual(mayRegister ? [303, before! + 1] : [403, before]);
  });
});
