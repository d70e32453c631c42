import {
  DEMO_USERS,
  FUNDING_OUTCOMES,
  notifyConfirmation,
  notifyFundingOutcome,
  type FundingOutcome,
} from '@settle/contracts';
import { MessageClient } from '@settle/messaging';
import { FundingLab } from '../../test/funding.fixture.js';
import { FUNDING_PATH } from '../../test/funding-samples.fixture.js';

const { id: userId, email } = DEMO_USERS.alice;

describe('e-mails that payments-service requests', () => {
  let lab: FundingLab;
  beforeAll(async () => {
    lab = await FundingLab.start();
  });
  afterAll(() => lab.auth.stop());
  beforeEach(() => lab.reset());

  const notify = (chargeKey: string) =>
    new MessageClient(lab.auth.bus).request(
      notifyConfirmation,
      { userId, chargeKey },
      { key: userId, timeoutMs: 30_000 },
    );

  it('given a charge to confirm, when it is notified several times, also at once, then one e-mail names our own page', async () => {
    const answers = [...(await Promise.all([notify('77:1:1'), notify('77:1:1')])), await notify('77:1:1')];
    expect(answers.filter(({ isNew }) => isNew)).toHaveLength(1);
    const [mail] = await lab.mails(1);
    expect(mail).toMatchObject({ sent_to: email, subject: 'Confirm a payment from your card or bank account' });
    expect(mail?.text).toContain(`${lab.auth.settings.publicUrl}${FUNDING_PATH}`);
    expect(mail?.text.match(/https?:\/\/[^/\s]+/g)?.every((url) => url === lab.auth.settings.publicUrl)).toBe(true);
  });

  const notifyOutcome = (outcome: FundingOutcome, id: string) =>
    new MessageClient(lab.auth.bus).request(
      notifyFundingOutcome,
      { userId, outcome, id },
      { key: userId, timeoutMs: 30_000 },
    );

  it.each([
    ['approval_declined', /could not be taken from your card or bank account/],
    ['repayment_returned', /is in your balance at Settle now/],
    ['withdrawal_returned', /in your balance at Settle again/],
  ] as const)(
    'given %s, when it is notified several times, also at once, then one e-mail says so and names our page',
    async (outcome, sentence) => {
      const answers = [
        ...(await Promise.all([notifyOutcome(outcome, '77'), notifyOutcome(outcome, '77')])),
        await notifyOutcome(outcome, '77'),
      ];
      expect(answers.filter(({ isNew }) => isNew)).toHaveLength(1);
      const [mail] = await lab.mails(1);
      expect(mail).toMatchObject({ sent_to: email });
      expect(mail?.text).toMatch(sentence);
      expect(mail?.text).toContain(`${lab.auth.settings.publicUrl}${FUNDING_PATH}`);
    },
  );

  it('given different outcomes under one id, when each is notified, then each has its e-mail', async () => {
    for (const outcome of FUNDING_OUTCOMES) expect(await notifyOutcome(outcome, '77')).toEqual({ isNew: true });
    await lab.mails(FUNDING_OUTCOMES.length);
  });

  it('given two charges to confirm, when each is notified, then each has its e-mail', async () => {
    await notify('77:1:1');
    await notify('78:1:1');
    await lab.mails(2);
  });
});
