import {
  DEMO_USERS,
  SettleError,
  beginSource,
  changeFundingSource,
  keepSource,
  type BeginSource,
  type KeepSource,
} from '@settle/contracts';
import { LIMITS } from '@settle/config';
import { FundingLab } from '../../test/funding.fixture.js';
import { FUNDING_PATH, OVERVIEW, PROVIDER_PAGE, SOURCE } from '../../test/funding-samples.fixture.js';
import { parseForm, type PagesBrowser } from '../../test/pages-browser.fixture.js';

const { id: userId, email } = DEMO_USERS.alice;
const BEGIN = `${FUNDING_PATH}/sources"`;

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

const open = async (path: string = FUNDING_PATH) => (await browser.get(path)).text();

/** Begins a source; returns the path of the way back. */
async function begin(fields: Record<string, string> = {}): Promise<string> {
  const response = await browser.submit(await open(), BEGIN, fields);
  expect([response.status, response.headers.get('location')]).toEqual([303, PROVIDER_PAGE]);
  return lab.returnPath();
}

async function expectNothingKept(response: Response, words: string): Promise<void> {
  expect([response.status, (await response.text()).includes(words)]).toEqual([403, true]);
  expect(lab.sentAs(keepSource)).toEqual([]);
}

describe('adding a card or account', () => {
  // Shows friend-30, friend-33
  it('given both uses, when the user comes back from the provider, then the source is kept and pays, and the user is notified once', async () => {
    const path = await begin({ for_payouts: 'yes' });
    const [begun] = lab.sentAs<BeginSource>(beginSource);
    expect(begun).toEqual({
      ...{ userId, ownerName: 'Alice Archer', wantsCharges: true, wantsPayouts: true },
      ...{ sourceKey: expect.stringMatching(/^src-[0-9a-f-]{36}$/) as string, returnUrl: begun?.returnUrl },
    });
    const back = await browser.get(`${path}&source_state=ended&source_key=src-other&for_payouts=no`);
    expect([back.status, back.headers.get('location')]).toEqual([303, `${FUNDING_PATH}?done=source-added`]);
    expect(lab.sentAs(keepSource)).toEqual([{ userId, sourceKey: begun?.sourceKey, isForPayouts: true }]);
    expect(lab.sentAs(changeFundingSource)).toEqual([{ userId, source: { id: SOURCE.key, lastFour: '4242' } }]);
    const [mail] = await lab.mails(1);
    expect(mail).toMatchObject({ sent_to: email, subject: 'A card or bank account was added' });
    expect(mail?.text).toContain('/account/reset');
    expect(mail?.text).not.toContain('4242');
  });

  it('given a source that cannot receive withdrawals, when the user comes back, then it pays, and the page says what it cannot do', async () => {
    const path = await begin({ for_payouts: 'yes' });
    lab.replies.set(keepSource.pattern, ({ isForPayouts }: KeepSource) =>
      isForPayouts
        ? Promise.reject(new SettleError('not_permitted', 'It is not in your name.'))
        : Promise.resolve({ ...SOURCE, isForPayouts: false, isOwnerMatch: false }),
    );
    expect((await browser.get(path)).headers.get('location')).toBe(`${FUNDING_PATH}?done=source-pays-only`);
    expect(lab.sentAs(changeFundingSource)).toHaveLength(1);
    await lab.mails(1);
  });

  it('given withdrawals alone, when the user comes back, then the source pays for nothing', async () => {
    const { fields, action } = parseForm(await open(), BEGIN);
    await browser.post(action, { ...fields, for_payouts: 'yes' });
    expect((await browser.get(lab.returnPath())).headers.get('location')).toBe(`${FUNDING_PATH}?done=source-added`);
    expect(lab.sentAs<BeginSource>(beginSource)[0]).toMatchObject({ wantsCharges: false, wantsPayouts: true });
    expect(lab.sentAs(changeFundingSource)).toEqual([]);
  });

  it('given a source that is still verifying or has no digits, when the user comes back, then it pays only once it can be charged', async () => {
    lab.replies.set(keepSource.pattern, () => Promise.resolve({ ...SOURCE, state: 'verifying', canCharge: false }));
    expect((await browser.get(await begin())).headers.get('location')).toBe(`${FUNDING_PATH}?done=source-verifying`);
    expect(lab.sentAs(changeFundingSource)).toEqual([]);
    lab.overview = { ...OVERVIEW, sources: [{ ...SOURCE, lastFour: 'AB12' }] };
    const used = await browser.submit(await open(), `${FUNDING_PATH}/sources/pay`, {});
    expect(used.headers.get('location')).toBe(`${FUNDING_PATH}?done=source-pays`);
    expect(lab.sentAs(changeFundingSource)).toEqual([{ userId, source: { id: SOURCE.key, lastFour: null } }]);
    const page = await open();
    lab.overview = { ...OVERVIEW, sources: [{ ...SOURCE, canCharge: false }] };
    expect((await browser.submit(page, `${FUNDING_PATH}/sources/pay`, {})).status).toBe(403);
  });

  it('given no use, when the form is sent, then it says what to choose and nothing is begun', async () => {
    const { fields, action } = parseForm(await open(), BEGIN);
    const response = await browser.post(action, fields);
    expect([response.status, (await response.text()).includes('Choose what you want')]).toEqual([400, true]);
    expect(lab.sent).toEqual([]);
  });

  it('given a form that is sent twice, when both are answered, then both lead to the same page with the same way back', async () => {
    const page = await open();
    await Promise.all([browser.submit(page, BEGIN, {}), browser.submit(page, BEGIN, { for_payouts: 'yes' })]);
    const [first, second] = lab.sentAs<BeginSource>(beginSource);
    expect(second).toEqual(first);
    await browser.get(lab.returnPath());
    const late = await browser.submit(page, BEGIN, {});
    expect([late.status, (await late.text()).includes('already used')]).toEqual([403, true]);
    expect(lab.sentAs(beginSource)).toHaveLength(2);
  });

  it.each([
    ['unknown', 'x'.repeat(43)],
    ['malformed', "'; drop table sessions; --"],
    ['missing', ''],
  ])('given a state that is %s, when the user comes back, then nothing is kept', async (_name, state) => {
    await begin();
    await expectNothingKept(
      await browser.get(`${FUNDING_PATH}/return?state=${encodeURIComponent(state)}`),
      'Nothing was added',
    );
  });

  it('given two states in the query, when the user comes back, then nothing is kept', async () => {
    const path = await begin();
    await expectNothingKept(await browser.get(`${path}&state=${'x'.repeat(43)}`), 'Nothing was added');
  });

  // Shows friend-30
  it('given a state that was used, when it comes again, then it is refused', async () => {
    const path = await begin();
    await browser.get(path);
    lab.sent.length = 0;
    await expectNothingKept(await browser.get(path), 'was already used');
    await lab.mails(1);
  });

  // Shows friend-30
  it('given a state of 15 minutes ago, when the user comes back, then nothing is kept', async () => {
    const path = await begin();
    await lab.auth.pool.query(`update source_requests set expires_at = expires_at - interval '15 minutes'`);
    await expectNothingKept(await browser.get(path), 'older than 15 minutes');
  });

  // Shows friend-30
  it('given the state of another session of the same user or of another user, when it comes back, then nothing is kept', async () => {
    const path = await begin();
    browser = await lab.signIn();
    await expectNothingKept(await browser.get(path), 'another browser or sign-in');
    browser = await lab.signIn('bob');
    await expectNothingKept(await browser.get(path), 'another browser or sign-in');
  });

  it('given a browser without a session, when it comes back, then it must sign in and nothing is kept', async () => {
    const path = await begin();
    browser.cookies.clear();
    const response = await browser.get(path);
    expect([response.status, response.headers.get('location')?.startsWith('/account/sign-in')]).toEqual([303, true]);
    expect(lab.sentAs(keepSource)).toEqual([]);
  });

  it('given many sources that were begun, when one more begins, then the oldest way back no longer works', async () => {
    const paths: string[] = [];
    for (let n = 0; n <= LIMITS.auth.sourceRequestsPerSession; n += 1) paths.push(await begin());
    const { rowCount } = await lab.auth.pool.query('select 1 from source_requests');
    expect(rowCount).toBe(LIMITS.auth.sourceRequestsPerSession);
    await expectNothingKept(await browser.get(paths[0]!), 'Nothing was added');
    expect((await browser.get(paths[1]!)).status).toBe(303);
  });

  it('given a provider that does not answer, when the user comes back and reloads the page, then the source is kept', async () => {
    const path = await begin();
    lab.replies.set(keepSource.pattern, () => Promise.reject(new SettleError('service_unavailable', 'Later.')));
    const failed = await browser.get(path);
    expect([failed.status, (await failed.text()).includes('reload this page')]).toEqual([503, true]);
    lab.replies.clear();
    expect((await browser.get(path)).headers.get('location')).toBe(`${FUNDING_PATH}?done=source-added`);
    await lab.mails(1);
  });

  it.each([
    [
      'belongs to another user',
      () => Promise.reject(new SettleError('not_permitted', 'Another user has this card.')),
      403,
    ],
    ['is unknown to the provider', () => Promise.reject(new SettleError('resource_not_found', 'None.')), 404],
    ['has ended', () => Promise.resolve({ ...SOURCE, state: 'ended' }), 403],
  ] as const)(
    'given a source that %s, when the user comes back, then the page says so and no one is notified',
    async (_, reply, status) => {
      const path = await begin();
      lab.replies.set(keepSource.pattern, reply);
      const response = await browser.get(path);
      expect([response.status, (await response.text()).includes('role="alert"')]).toEqual([status, true]);
      expect(lab.sentAs(changeFundingSource)).toEqual([]);
      await lab.mails(0);
    },
  );

  // Shows friend-31
  it.each(['https://evil.example/cards/1', 'javascript:alert(1)', 'https://pages.provider.example@evil.example/'])(
    'given a provider that names the page %s, when a source begins, then the browser is not sent there',
    async (pageUrl) => {
      lab.replies.set(beginSource.pattern, () => Promise.resolve({ pageUrl }));
      const response = await browser.submit(await open(), BEGIN, {});
      expect([response.status, response.headers.get('location')]).toEqual([403, null]);
      expect(await response.text()).toContain('not allowed here');
    },
  );

  it('given a source that needs no page, when it begins, then the user comes back at once', async () => {
    lab.replies.set(beginSource.pattern, () => Promise.resolve({ pageUrl: null }));
    const response = await browser.submit(await open(), BEGIN, {});
    expect(response.headers.get('location')).toBe(lab.returnPath());
    expect((await browser.get(lab.returnPath())).headers.get('location')).toBe(`${FUNDING_PATH}?done=source-added`);
  });

  it('given a provider that is not available, when a source begins, then the page says to try later, and the same form works', async () => {
    lab.replies.set(beginSource.pattern, () => Promise.reject(new SettleError('service_unavailable', 'Later.')));
    const failed = await browser.submit(await open(), BEGIN, {});
    const page = await failed.text();
    expect([failed.status, page.includes('nothing is lost')]).toEqual([503, true]);
    lab.replies.clear();
    expect((await browser.submit(page, BEGIN, {})).headers.get('location')).toBe(PROVIDER_PAGE);
    const [first, second] = lab.sentAs<BeginSource>(beginSource);
    expect(second).toEqual(first);
  });
});
