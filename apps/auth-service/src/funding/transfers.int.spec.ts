import { LIMITS } from '@settle/config';
import {
  DEMO_PASSWORD,
  DEMO_USERS,
  SettleError,
  cancelWithdrawal,
  idTimeMs,
  requestDeposit,
  requestWithdrawal,
  type RequestDeposit,
  type RequestWithdrawal,
} from '@settle/contracts';
import { FundingLab } from '../../test/funding.fixture.js';
import { DEPOSIT, FUNDING_PATH, OVERVIEW, PROVIDER_PAGE, SOURCE } from '../../test/funding-samples.fixture.js';
import { parseForm, type PagesBrowser } from '../../test/pages-browser.fixture.js';

const { id: userId, email } = DEMO_USERS.alice;
const DEPOSITS = `${FUNDING_PATH}/deposits`;
const WITHDRAWALS = `${FUNDING_PATH}/withdrawals"`;
const CANCEL = `${FUNDING_PATH}/withdrawals/cancel`;
const FIELDS = { amount: '12.50', source_key: SOURCE.key };
const PAYOUT = { ...DEPOSIT, kind: 'withdrawal' } as const;

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
const refuse =
  (code: 'service_unavailable' | 'outcome_unknown' | 'not_permitted' | 'account_frozen' | 'insufficient_funds') => () =>
    Promise.reject(new SettleError(code, 'The limit of 500.00 a day is reached until 2026-01-03 10:00 UTC.'));

describe('adding money', () => {
  // Shows friend-32, friend-33
  it('given an amount, when the form is sent twice, then both carry its id and cents, and the user is notified once, without the amount', async () => {
    const page = await open();
    const [first] = await Promise.all([browser.submit(page, DEPOSITS, FIELDS), browser.submit(page, DEPOSITS, FIELDS)]);
    expect([first.status, first.headers.get('location')]).toEqual([303, `${FUNDING_PATH}?done=deposit-settled`]);
    const sent = lab.sentAs<RequestDeposit>(requestDeposit);
    const { funding_id: fundingId } = parseForm(page, DEPOSITS).fields;
    const beginBeforeMs = expect.any(Number) as number;
    const request = { fundingId, userId, sourceKey: SOURCE.key, amountCents: 12_50, beginBeforeMs };
    expect(sent).toEqual([request, request]);
    expect(Math.abs(sent[0]!.beginBeforeMs - Date.now())).toBeLessThanOrEqual(LIMITS.auth.fundingBeginMs);
    const [mail] = await lab.mails(1);
    expect(mail).toMatchObject({ sent_to: email, subject: 'A deposit was requested' });
    expect(mail?.text).not.toContain('12.50');
  });

  // Shows friend-33
  it('given a second e-mail address, when money is added, then both addresses are notified, and no phone', async () => {
    await lab.auth.pool.query(
      `insert into login_addresses (kind, value, user_id, proven_at_us, spelling) values ('email', 'two@example.com', $1, 1, 'Two@example.com')`,
      [userId],
    );
    await browser.submit(await open(), DEPOSITS, FIELDS);
    const recipients = (await lab.mails(2)).map((mail) => mail.sent_to);
    expect(recipients.toSorted()).toEqual(['Two@example.com', email].toSorted());
    await lab.auth.pool.query(`delete from login_addresses where value = 'two@example.com'`);
  });

  it.each(['', '0', '1.234', '1,000', 'ten'])(
    'given the amount "%s", when it is sent, then the page repeats it beside the reason and nothing is requested',
    async (amount) => {
      const response = await browser.submit(await open(), DEPOSITS, { ...FIELDS, amount });
      const html = await response.text();
      expect([response.status, html.includes('such as 20 or 12.50'), lab.sent]).toEqual([400, true, []]);
      if (amount !== '') expect(html).toContain(`value="${amount}"`);
      expect(html).toContain('aria-invalid');
    },
  );

  it.each([
    ['not_permitted', 403, 'until 2026-01-03 10:00 UTC'],
    ['account_frozen', 403, 'Ask support'],
    ['service_unavailable', 503, 'nothing is lost'],
  ] as const)(
    'given the refusal %s, when money is added, then the form keeps what was typed and says what to do, and no one is notified',
    async (code, status, words) => {
      lab.replies.set(requestDeposit.pattern, refuse(code));
      const page = await open();
      const response = await browser.submit(page, DEPOSITS, FIELDS);
      const html = await response.text();
      expect([response.status, html.includes(words), html.includes('value="12.50"')]).toEqual([status, true, true]);
      const isSameId = parseForm(html, DEPOSITS).fields.funding_id === parseForm(page, DEPOSITS).fields.funding_id;
      expect(isSameId).toBe(code === 'service_unavailable');
      await lab.mails(0);
    },
  );

  it('given no answer in time, when money is added, then the page says that the list shows it, keeps the id, and the user is notified', async () => {
    lab.replies.set(requestDeposit.pattern, refuse('outcome_unknown'));
    const page = await open();
    const response = await browser.submit(page, DEPOSITS, FIELDS);
    const html = await response.text();
    expect([response.status, html.includes('The list below shows whether it was done')]).toEqual([504, true]);
    lab.replies.clear();
    await browser.submit(html, DEPOSITS, FIELDS);
    const ids = lab.sentAs<RequestDeposit>(requestDeposit).map(({ fundingId }) => fundingId);
    expect(new Set(ids).size).toBe(1);
    await lab.mails(1);
  });

  it.each([
    ['that is pending', { status: 'pending' }, 'deposit-pending'],
    [
      'that the bank must confirm',
      { status: 'pending', nextAction: { url: PROVIDER_PAGE, expiresAt: '2099-01-01T00:00:00Z' } },
      'deposit-confirm',
    ],
  ] as const)(
    'given a deposit %s, when it is answered, then the page says where to look',
    async (_name, change, done) => {
      lab.replies.set(requestDeposit.pattern, () => Promise.resolve({ ...DEPOSIT, ...change }));
      const response = await browser.submit(await open(), DEPOSITS, FIELDS);
      expect(response.headers.get('location')).toBe(`${FUNDING_PATH}?done=${done}`);
      expect(await open(`${FUNDING_PATH}?done=${done}`)).toContain('role="status"');
    },
  );

  it('given a deposit that was declined, when it is answered, then the page says why and what to do', async () => {
    lab.replies.set(requestDeposit.pattern, () =>
      Promise.resolve({ ...DEPOSIT, status: 'failed', reason: 'expired_card' }),
    );
    const response = await browser.submit(await open(), DEPOSITS, FIELDS);
    expect([response.status, (await response.text()).includes('The card has expired.')]).toEqual([403, true]);
  });
});

describe('withdrawing', () => {
  const withdraw = async (amount = '10') => browser.submit(await open(), WITHDRAWALS, { amount });
  const notBeforeUs = async () => {
    await withdraw();
    return lab.sentAs<RequestWithdrawal>(requestWithdrawal).at(-1)?.notBeforeUs;
  };
  const DAY_US = 86_400_000_000;

  it.each([
    ['pending', 'withdrawal-pending'],
    ['review', 'withdrawal-review'],
    ['settled', 'withdrawal-settled'],
  ] as const)(
    'given a withdrawal that is %s, when it is answered, then the page says what comes next, and the user is notified',
    async (status, done) => {
      lab.replies.set(requestWithdrawal.pattern, () => Promise.resolve({ ...PAYOUT, status }));
      const response = await withdraw();
      expect(response.headers.get('location')).toBe(`${FUNDING_PATH}?done=${done}`);
      expect(await open(`${FUNDING_PATH}?done=${done}`)).toContain('role="status"');
      expect(lab.sentAs<RequestWithdrawal>(requestWithdrawal)[0]).toMatchObject({ userId, amountCents: 10_00 });
      expect((await lab.mails(1))[0]?.subject).toBe('A withdrawal was requested');
    },
  );

  // Shows friend-35
  it('given a verified e-mail address and a password reset, when money is withdrawn, then no payout is sent for a day after the newer one', async () => {
    const verifiedAtUs = idTimeMs(userId) * 1_000;
    expect(await notBeforeUs()).toBe(verifiedAtUs + DAY_US);
    const resetAt = new Date(Date.UTC(2026, 0, 2));
    const setReset = 'update credentials set password_reset_at = $1 where user_id = $2';
    await lab.auth.pool.query(setReset, [resetAt, userId]);
    expect(await notBeforeUs()).toBe(Math.max(verifiedAtUs, resetAt.getTime() * 1_000) + DAY_US);
    const newest = String((Date.UTC(2099, 0, 1) - 86_400_000) * 1_000);
    const setProven = `update login_addresses set proven_at_us = $1 where user_id = $2 and kind = $3`;
    await lab.auth.pool.query(setProven, [newest, userId, 'phone']);
    expect(await notBeforeUs()).toBeLessThan(Number(newest));
    await lab.auth.pool.query(setProven, [newest, userId, 'email']);
    expect(await notBeforeUs()).toBe(Date.UTC(2099, 0, 1) * 1_000);
    await lab.auth.pool.query(setProven, [verifiedAtUs, userId, 'email']);
    await lab.auth.pool.query(setReset, [null, userId]);
  });

  it('given a balance that does not cover it, when money is withdrawn, then the page repeats the words of the refusal', async () => {
    lab.replies.set(requestWithdrawal.pattern, refuse('insufficient_funds'));
    const response = await withdraw('99');
    const html = await response.text();
    expect([response.status, html.includes('The limit of 500.00'), html.includes('value="99"')]).toEqual([
      400,
      true,
      true,
    ]);
    await lab.mails(0);
  });

  it('given a withdrawal that is not sent yet, when it is cancelled, then it is cancelled; a late one says why not', async () => {
    lab.overview = { ...OVERVIEW, items: [{ ...PAYOUT, id: 'w1', status: 'review', canCancel: true }] };
    const cancelled = await browser.submit(await open(), CANCEL, {});
    expect(cancelled.headers.get('location')).toBe(`${FUNDING_PATH}?done=withdrawal-cancelled`);
    expect(lab.sentAs(cancelWithdrawal)).toEqual([{ userId, fundingId: 'w1' }]);
    lab.replies.set(cancelWithdrawal.pattern, () =>
      Promise.reject(new SettleError('not_permitted', 'It is too late.')),
    );
    const late = await browser.submit(await open(), CANCEL, {});
    expect([late.status, (await late.text()).includes('It is too late.')]).toEqual([403, true]);
  });
});

describe('the password and the origin of the forms', () => {
  // Shows friend-33
  it.each([
    [DEPOSITS, requestDeposit, FIELDS],
    [WITHDRAWALS, requestWithdrawal, { amount: '7' }],
  ] as const)(
    'given a sign-in five minutes ago, when %s is sent, then the password is required and the input is kept',
    async (action, contract, fields) => {
      const page = await open();
      await lab.waitMinutes(5);
      const asked = await browser.submit(page, action, fields);
      expect([asked.status, lab.sent]).toEqual([403, []]);
      const wrong = await browser.submit(await asked.text(), action, { current_password: 'a guess' });
      expect([wrong.status, lab.sent]).toEqual([403, []]);
      expect((await browser.submit(await wrong.text(), action, { current_password: DEMO_PASSWORD })).status).toBe(303);
      expect(lab.sentAs<RequestDeposit>(contract)).toHaveLength(1);
      expect(lab.sentAs<RequestDeposit>(contract)[0]?.fundingId).toBe(parseForm(page, action).fields.funding_id);
    },
  );

  it.each(['deposits', 'withdrawals', 'withdrawals/cancel'])(
    'given a form from another site, when it is sent to %s, then it is refused',
    async (path) => {
      const { fields } = parseForm(await open(), DEPOSITS);
      const crossSite = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' };
      expect((await browser.post(`${FUNDING_PATH}/${path}`, { ...fields, ...FIELDS }, crossSite)).status).toBe(403);
      expect(
        (await browser.post(`${FUNDING_PATH}/${path}`, { ...FIELDS, funding_id: fields.funding_id ?? '' })).status,
      ).toBe(403);
      expect(lab.sent).toEqual([]);
    },
  );

  it.each(['', 'x', "'; --"])(
    'given the form id "%s", when money is added, then the form is refused',
    async (funding_id) => {
      expect((await browser.submit(await open(), DEPOSITS, { ...FIELDS, funding_id })).status).toBe(400);
      expect(lab.sent).toEqual([]);
    },
  );
});
