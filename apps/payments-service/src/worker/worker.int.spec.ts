import { LedgerLab } from '../ledger-lab/ledger-lab.fixture.js';
import { anEmail, person } from '../ledger-lab/people.fixture.js';

const MS_PER_DAY = 86_400_000;

describe('the worker', () => {
  let lab: LedgerLab;

  beforeEach(async () => {
    lab = await LedgerLab.open();
  });
  afterEach(async () => {
    await lab.expectInOrder();
    await lab.close();
  });

  it.each([
    ['raised', 60],
    ['lowered', 10],
  ])('given pending payments, when the days until expiry are %s, then the new ones count', async (_, days) => {
    const first = await lab.instance();
    const payer = person();
    await lab.know(payer);
    await first.fund(payer, 1_000);
    const { payment } = await first.create(payer, anEmail());
    await lab.caughtUp();
    await first.stop();
    let aheadMs = (days - 1) * MS_PER_DAY;
    const env = { PAYMENT_EXPIRY_DAYS: String(days) };
    const next = await lab.instance({ env, nowMs: () => Date.now() + aheadMs });
    expect(await next.ledger.worker.workOff()).toBe(0);
    aheadMs += MS_PER_DAY;
    expect(await next.ledger.worker.workOff()).toBe(1);
    await lab.caughtUp();
    expect((await next.view(payer, payment.id)).status).toBe('expired');
  });
});
