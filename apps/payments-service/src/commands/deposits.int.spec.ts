import { LedgerLab, type LabInstance } from '../ledger-lab/ledger-lab.fixture.js';
import { person } from '../ledger-lab/people.fixture.js';

describe('a deposit', () => {
  let lab: LedgerLab;
  let instance: LabInstance;
  const [owner, other] = [person(), person()];

  beforeAll(async () => {
    lab = await LedgerLab.open();
    instance = await lab.instance();
    await lab.know(owner, other);
  });
  afterAll(() => lab.close());

  it('given a wallet that is kept in memory, when money is put in, then the next answer shows it', async () => {
    await instance.fund(owner, 1_000);
    expect((await instance.create(owner, other)).balanceCents).toBe(900);
    await instance.fund(owner, 500);
    const charge = await instance.create(owner, other, { action: 'charge' });
    expect(charge.payment.status).toBe('pending');
    expect(charge.balanceCents).toBe(1_400);
    expect(await instance.balance(owner)).toBe(1_400);
    await lab.expectInOrder();
  });
});
