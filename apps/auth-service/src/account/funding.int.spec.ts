import {
  DEMO_PASSWORD,
  DEMO_USERS,
  SettleError,
  addFunds,
  changeFundingSource,
  getAccount,
  getFunding,
  type ChangeFundingSource,
} from '@settle/contracts';
import { freshDatabase } from '@settle/testing';
import { PagesBrowser, parseForm } from '../../test/pages-browser.fixture.js';
import { startAuth, type StartedAuth } from '../../test/started-auth.fixture.js';

const PATH = '/account/funding';
const CARD = { card_number: '4242 4242 4242 4242', expiry: '12/99', security_code: '123' };

let auth: StartedAuth;
/** All messages that the pages sent to other services. */
let sent: object[];
let replyOfPayments: () => Promise<object>;

async function start(env: Record<string, string>): Promise<PagesBrowser> {
  auth = await startAuth(await freshDatabase(), env);
  sent = [];
  replyOfPayments = () => Promise.resolve({ balanceCents: 1 });
  const account = { fundingSource: { lastFour: '4242' } };
  auth.bus.handle(getFunding.topic, getFunding.pattern, () => Promise.resolve({ isAvailable: false }));
  auth.bus.handle(getAccount.topic, getAccount.pattern, () => Promise.resolve(account));
  auth.bus.handle(changeFundingSource.topic, changeFundingSource.pattern, (payload) => {
    sent.push(payload as ChangeFundingSource);
    return Promise.resolve(account);
  });
  auth.bus.handle(addFunds.topic, addFunds.pattern, (payload) => {
    sent.push(payload as object);
    return replyOfPayments();
  });
  const browser = new PagesBrowser(auth.service.url);
  const page = await (await browser.get('/account/sign-in')).text();
  await browser.submit(page, '/account/sign-in', { username: DEMO_USERS.alice.username, password: DEMO_PASSWORD });
  return browser;
}
afterEach(() => auth.stop());

const readFields = async (browser: PagesBrowser) => parseForm(await (await browser.get(PATH)).text(), PATH).fields;

describe('the card page', () => {
  // Shows friend-28
  it('given a test card, when it is added, then its number and code are in no message, and the funds are added first', async () => {
    const browser = await start({ DEV_TOOLS: 'true' });
    const response = await browser.post(PATH, { ...(await readFields(browser)), ...CARD });
    expect([response.status, response.headers.get('location')]).toEqual([303, `${PATH}?done=card-added`]);
    const userId = DEMO_USERS.alice.id;
    const id = expect.stringMatching(/^test-card-/) as string;
    expect(sent).toEqual([
      { commandId: expect.any(String) as string, userId, amountCents: 100_00 },
      { userId, source: { id, lastFour: '4242' } },
    ]);
  });

  it('given that payments-service does not respond, when a card is added, then it is not stored and the user can retry', async () => {
    const browser = await start({ DEV_TOOLS: 'true' });
    replyOfPayments = () => Promise.reject(new SettleError('outcome_unknown', 'Later.'));
    const response = await browser.post(PATH, { ...(await readFields(browser)), ...CARD });
    expect([response.status, sent.length]).toEqual([503, 1]);
  });

  // Shows friend-29
  it('given a server without development tools, when a card is added, then the page explains the refusal, and a card can still be removed', async () => {
    const browser = await start({ DEMO: 'true', DEV_TOOLS: 'false' });
    const html = await (await browser.get(PATH)).text();
    expect(html).toContain('No card provider is connected');
    expect(html).not.toContain('card_number');
    const { form_token = '' } = parseForm(html, PATH).fields;
    const refused = await browser.post(PATH, { form_token, ...CARD });
    expect([refused.status, (await refused.text()).includes('No card provider is connected')]).toEqual([503, true]);
    expect(sent).toEqual([]);
    const removed = await browser.submit(html, `${PATH}/remove`, {});
    expect([removed.status, sent]).toEqual([303, [{ userId: DEMO_USERS.alice.id, source: null }]]);
  });
});
