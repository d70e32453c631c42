import { DEMO_APP, DEMO_USERS, TOPICS, getAccount } from '@settle/contracts';
import { freshDatabase } from '@settle/testing';
import { parseForm } from './pages-browser.fixture.js';
import { signInDemoUser, startAuth, type StartedAuth } from './started-auth.fixture.js';

const QUERY = `client_id=${DEMO_APP.clientId}&scope=make_payments`;
const APP = {
  name: 'Split it',
  description: 'Splits bills.',
  site_url: 'https://app.example/',
  redirect_url: 'https://app.example/cb',
  more_redirect_urls: '',
};

let auth: StartedAuth;
/** What users-service would say of whoever asks. */
let flags: object;
beforeAll(async () => {
  auth = await startAuth(await freshDatabase());
  auth.bus.handle(TOPICS.usersRequests, getAccount.pattern, () => Promise.resolve(flags));
});
afterAll(() => auth.stop());

const appsOfBob = async () =>
  (await auth.pool.query('select from apps where owner_id = $1', [DEMO_USERS.bob.id])).rowCount;

describe('who may register apps', () => {
  // Shows token-36
  it.each([
    ['nobody has verified', { isVerified: false, isBusiness: false, hasLegacyAccess: false }, false],
    ['is a new business', { isVerified: true, isBusiness: true, hasLegacyAccess: false }, false],
    ['is a business that had access before', { isVerified: true, isBusiness: true, hasLegacyAccess: true }, true],
    ['is verified', { isVerified: true, isBusiness: false, hasLegacyAccess: false }, true],
  ])(
    'given somebody who %s, when they register an app, then it is as it should be',
    async (_what, given, mayRegister) => {
      flags = given;
      const { browser, consentPage } = await signInDemoUser(auth, QUERY, 'bob');
      const page = await (await browser.get('/developers')).text();
      expect(page.includes('action="/developers/apps"')).toBe(mayRegister);
      const before = await appsOfBob();
      const { form_token } = parseForm(consentPage, '/v1/oauth/consent').fields;
      const answer = await browser.post('/developers/apps', { ...APP, form_token: form_token! });
      expect([answer.status, await appsOfBob()]).toEqual(mayRegister ? [303, before! + 1] : [403, before]);
    },
  );
});
