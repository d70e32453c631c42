import { DEMO_USERS, notifyConfirmation } from '@settle/contracts';
import { MessageClient } from '@settle/messaging';
import { FundingLab } from '../../test/funding.fixture.js';
import { FUNDING_PATH } from '../../test/funding-samples.fixture.js';

const { id: userId, email } = DEMO_USERS.alice;

describe('e-mails about charges to confirm', () => {
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

  it('given two charges to confirm, when each is notified, then each has its e-mail', async () => {
    await notify('77:1:1');
    await notify('78:1:1');
    await lab.mails(2);
  });
});
