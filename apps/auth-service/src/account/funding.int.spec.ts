import { randomUUID } from 'node:crypto';
import {
  DEMO_PASSWORD,
  DEMO_USERS,
  SettleError,
  beginSource,
  changeFundingSource,
  getAccount,
  getFunding,
  type ChangeFundingSource,
} from '@settle/contracts';
import { eventually, freshDatabase } from '@settle/testing';
import { PagesBrowser, parseForm } from '../../test/pages-browser.fixture.js';
import { startAuth, type StartedAuth } from '../../test/started-auth.fixture.js';

const PATH = '/account/funding';

describe('the card page without a payment provider', () => {
  let auth: StartedAuth;
  let browser: PagesBrowser;
  /** Changes of the card that were sent to users-service. */
  let sent: ChangeFundingSource[];

  beforeEach(async () => {
    auth = await startAuth(await freshDatabase());
    sent = [];
    const card = { firstName: 'Alice', lastName: 'Archer' };
    const account = { card, fundingSource: { id: 'test-card-1', lastFour: '4242' } };
    auth.bus.handle(getFunding.topic, getFunding.pattern, () => Promise.resolve({ isAvailable: false }));
    auth.bus.handle(getAccount.topic, getAccount.pattern, () => Promise.resolve(account));
    auth.bus.handle(beginSource.topic, beginSource.pattern, () =>
      Promise.reject(new SettleError('service_unavailable', 'None.')),
    );
    auth.bus.handle(changeFundingSource.topic, changeFundingSource.pattern, (payload) => {
      sent.push(payload as ChangeFundingSource);
      return Promise.resolve(account);
    });
    browser = new PagesBrowser(auth.service.url);
    const page = await (await browser.get('/account/sign-in')).text();
    await browser.submit(page, '/account/sign-in', { username: DEMO_USERS.alice.username, password: DEMO_PASSWORD });
  });
  afterEach(() => auth.stop());

  // Shows friend-28, friend-29
  it('given a card on file, when the page is opened and a card is added, then it takes no number and explains the refusal, and the card can still be removed', async () => {
    const html = await (await browser.get(PATH)).text();
    expect(html).toContain('No payment provider is connected');
    expect(html).toContain('4242');
    expect(html).not.toContain('card_number');
    const { form_token = '' } = parseForm(html, `${PATH}/remove`).fields;
    const begun = { form_token, source_key: `src-${randomUUID()}`, for_payments: 'yes' };
    const refused = await browser.post(`${PATH}/sources`, begun);
    expect([refused.status, (await refused.text()).includes('No payment provider is connected')]).toEqual([503, true]);
    const removed = await browser.submit(html, `${PATH}/remove`, {});
    expect([removed.status, sent]).toEqual([303, [{ userId: DEMO_USERS.alice.id, source: null }]]);
    await eventually(async () => {
      const { rows } = await auth.pool.query<{ subject: string }>('select subject from mailbox_messages');
      expect(rows).toEqual([{ subject: 'A card or bank account was removed' }]);
    });
  });
});
