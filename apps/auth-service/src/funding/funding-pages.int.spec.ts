import { SettleError, requestDeposit } from '@settle/contracts';
import { FundingLab } from '../../test/funding.fixture.js';
import { DEPOSIT, FUNDING_PATH, OVERVIEW, SOURCE } from '../../test/funding-samples.fixture.js';
import type { PagesBrowser } from '../../test/pages-browser.fixture.js';

const DEPOSITS = `${FUNDING_PATH}/deposits`;

let lab: FundingLab;
let browser: PagesBrowser;
beforeEach(async () => {
  lab = await FundingLab.start();
  browser = await lab.signIn();
});
afterEach(() => lab.auth.stop());

const open = async () => (await browser.get(FUNDING_PATH)).text();

describe('the page about money', () => {
  it('given older entries, when their link is followed, then the page asks for those before', async () => {
    const asked: unknown[] = [];
    lab.overview = { ...OVERVIEW, items: [DEPOSIT], nextBeforeUs: 1_700_000_000_000_000 };
    expect(await open()).toContain('before=1700000000000000');
    for (const before of ['1700000000000000', 'x', '-1', '99999999999999999999']) {
      asked.push((await browser.get(`${FUNDING_PATH}?before=${before}`)).status);
    }
    expect(asked).toEqual([200, 200, 200, 200]);
    expect(lab.reads.map(({ beforeUs }) => beforeUs)).toEqual([null, 1_700_000_000_000_000, null, null, null]);
  });

  it('given that payments-service is unavailable, when a form is sent, then its own refusal is shown', async () => {
    const page = await open();
    lab.overview = null;
    expect((await browser.get(FUNDING_PATH)).status).toBe(503);
    lab.replies.set(requestDeposit.pattern, () =>
      Promise.reject(new SettleError('not_permitted', 'Not until 2026-01-03.')),
    );
    const response = await browser.submit(page, DEPOSITS, { amount: '12.50', source_key: SOURCE.key });
    expect([response.status, (await response.text()).includes('until 2026-01-03')]).toEqual([403, true]);
  });
});
