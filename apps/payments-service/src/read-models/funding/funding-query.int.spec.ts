import type { UserRecord } from '@settle/contracts';
import { ChangesLab } from '../../../test/funding/changes-lab.fixture.js';
import type { LabInstance } from '../../../test/ledger-lab/ledger-lab.fixture.js';
import { FundingQuery } from './funding-query.js';

describe('the charges that a user is shown', () => {
  let lab: ChangesLab;
  let instance: LabInstance;
  let payer: UserRecord;
  let payee: UserRecord;

  beforeEach(async () => {
    lab = await ChangesLab.open();
    instance = await lab.funding.instance();
    ({ payer, payee } = await lab.funding.people());
  });
  afterEach(() => lab.close());

  async function statuses(): Promise<string[]> {
    await lab.funding.lab.caughtUp();
    const page = { beforeUs: null, limit: 10, nowUs: Date.now() * 1_000 };
    const { items } = await new FundingQuery(lab.funding.lab.pool).readItems(payer.card.id, page);
    return items.map(({ kind, status }) => `${kind} ${status}`);
  }

  it('given a charge that is approved once its payment has failed, when it is repaid, then it is returned; if the repayment comes back, its money is here', async () => {
    lab.books.nextCharge = 'declined';
    const { payment } = await instance.create(payer, payee);
    expect(await statuses()).toEqual(['charge failed']);
    lab.books.set('charge', `${payment.id}:${payer.card.id}:1`, 'approved');
    await lab.read(instance);
    expect(await statuses()).toEqual(['charge returned']);
    const [repayment = ''] = lab.books.repayments.keys();
    lab.books.set('repayment', repayment, 'returned');
    await lab.read(instance);
    expect(await statuses()).toEqual(['charge settled']);
    expect(await lab.balance(instance, payer)).toBe(100);
  });
});
