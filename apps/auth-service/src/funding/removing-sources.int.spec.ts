import {
  DEMO_PASSWORD,
  DEMO_USERS,
  SettleError,
  beginSource,
  changeFundingSource,
  endSource,
  keepSource,
  type BeginSource,
} from '@settle/contracts';
import { FundingLab } from '../../test/funding.fixture.js';
import { FUNDING_PATH, OVERVIEW, PROVIDER_PAGE, SOURCE } from '../../test/funding-samples.fixture.js';
import { parseForm, type PagesBrowser } from '../../test/pages-browser.fixture.js';

const { id: userId } = DEMO_USERS.alice;
const BEGIN = `${FUNDING_PATH}/sources"`;
const PAYOUTS = `${FUNDING_PATH}/sources/payouts`;
const REMOVE = `${FUNDING_PATH}/sources/remove`;

let lab: FundingLab;
let browser: PagesBrowser;
beforeAll(async () => {
  lab = await FundingLab.start();
});
afterAll(() => lab.auth.stop());
beforeEach(async () => {
  await lab.reset();
  browser = await lab.signIn();
});

const open = async () => (await browser.get(FUNDING_PATH)).text();

describe('choosing a card or account for withdrawals', () => {
  it('given a sign-in five minutes ago, when it is chosen twice, then the password is required, and the user is notified once', async () => {
    lab.overview = { ...OVERVIEW, sources: [{ ...SOURCE, isForPayouts: false }] };
    const page = await open();
    await lab.waitMinutes(5);
    const asked = await browser.submit(page, PAYOUTS, {});
    expect([asked.status, lab.sent]).toEqual([403, []]);
    const form = await asked.text();
    const response = await browser.submit(form, PAYOUTS, { current_password: DEMO_PASSWORD });
    expect(response.headers.get('location')).toBe(`${FUNDING_PATH}?done=source-paid-out`);
    const { source_key, change_id } = parseForm(page, PAYOUTS).fields as Record<string, string>;
    const { form_token } = parseForm(await open(), PAYOUTS).fields;
    await browser.post(PAYOUTS, { form_token, source_key, change_id } as Record<string, string>);
    const request = { userId, sourceKey: SOURCE.key, isForPayouts: true };
    expect(lab.sentAs(keepSource)).toEqual([request, request]);
    expect((await lab.mails(1))[0]?.subject).toBe('Withdrawals go to another card or bank account');
  });

  it('given a refusal, when it is chosen, then the page repeats its words and no one is notified', async () => {
    lab.overview = { ...OVERVIEW, sources: [{ ...SOURCE, isForPayouts: false }] };
    lab.replies.set(keepSource.pattern, () => Promise.reject(new SettleError('not_permitted', 'Not in your name.')));
    const response = await browser.submit(await open(), PAYOUTS, {});
    expect([response.status, (await response.text()).includes('Not in your name.')]).toEqual([403, true]);
    await lab.mails(0);
  });
});

describe('removing a card or account', () => {
  it('given a source that pays, when it is removed twice, then payments stop using it before it ends, and the user is notified once', async () => {
    lab.account = { ...lab.account, fundingSource: { id: SOURCE.key, lastFour: '4242' } };
    const page = await open();
    for (let n = 0; n < 2; n += 1) {
      const response = await browser.submit(page, REMOVE, {});
      expect(response.headers.get('location')).toBe(`${FUNDING_PATH}?done=source-removed`);
    }
    expect(lab.sent.slice(0, 2)).toEqual([
      [changeFundingSource.pattern, { userId, source: null }],
      [endSource.pattern, { userId, sourceKey: SOURCE.key }],
    ]);
    expect((await lab.mails(1))[0]?.subject).toBe('A card or bank account was removed');
  });

  it('given another source that pays, when a source is removed, then the other one still pays', async () => {
    lab.account = { ...lab.account, fundingSource: { id: 'src-2', lastFour: '1111' } };
    await browser.submit(await open(), REMOVE, {});
    expect(lab.sent).toEqual([[endSource.pattern, { userId, sourceKey: SOURCE.key }]]);
  });

  it('given a provider that is not available, when a source is removed, then the page says so and no one is notified', async () => {
    lab.replies.set(endSource.pattern, () => Promise.reject(new SettleError('service_unavailable', 'Later.')));
    const response = await browser.submit(await open(), REMOVE, {});
    expect([response.status, (await response.text()).includes('nothing is lost')]).toEqual([503, true]);
    await lab.mails(0);
  });
});

describe('the password and the origin of the forms', () => {
  // Shows friend-33
  it('given a sign-in five minutes ago, when a source begins, then the password is required, and its page allows the redirect to the provider', async () => {
    const page = await open();
    await lab.waitMinutes(5);
    const asked = await browser.submit(page, BEGIN, { for_payouts: 'yes' });
    expect([asked.status, lab.sent]).toEqual([403, []]);
    expect(asked.headers.get('content-security-policy')).toContain("form-action 'self' https://pages.provider.example");
    const response = await browser.submit(await asked.text(), BEGIN, { current_password: DEMO_PASSWORD });
    expect(response.headers.get('location')).toBe(PROVIDER_PAGE);
    expect(lab.sentAs<BeginSource>(beginSource)[0]).toMatchObject({ wantsCharges: true, wantsPayouts: true });
    expect((await browser.get(lab.returnPath())).headers.get('location')).toBe(`${FUNDING_PATH}?done=source-added`);
  });

  // Shows friend-33
  it('given a sign-in five minutes ago, when a source is removed, then the password is required', async () => {
    const page = await open();
    await lab.waitMinutes(5);
    const asked = await browser.submit(page, REMOVE, {});
    expect([asked.status, lab.sent]).toEqual([403, []]);
    expect((await browser.submit(await asked.text(), REMOVE, { current_password: DEMO_PASSWORD })).status).toBe(303);
    expect(lab.sentAs(endSource)).toHaveLength(1);
  });

  it.each(['sources', 'sources/pay', 'sources/payouts', 'sources/remove'])(
    'given a form from another site, when it is sent to %s, then it is refused',
    async (path) => {
      const { fields } = parseForm(await open(), BEGIN);
      const body = { ...fields, for_payments: 'yes', form_token: 'x'.repeat(43) };
      expect((await browser.post(`${FUNDING_PATH}/${path}`, body)).status).toBe(403);
      const crossSite = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' };
      expect(
        (await browser.post(`${FUNDING_PATH}/${path}`, { ...fields, for_payments: 'yes' }, crossSite)).status,
      ).toBe(403);
      expect(lab.sent).toEqual([]);
    },
  );

  it('given the page, when its policy is read, then forms may redirect to the provider and to no other site', async () => {
    const policy = (await browser.get(FUNDING_PATH)).headers.get('content-security-policy');
    expect(policy).toContain("form-action 'self' https://pages.provider.example;");
    expect((await browser.get('/account/security')).headers.get('content-security-policy')).toContain(
      "form-action 'self';",
    );
  });
});
