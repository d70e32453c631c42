import { randomUUID } from 'node:crypto';
import { LedgerLab, type LabInstance } from '../../test/ledger-lab/ledger-lab.fixture.js';
import { person } from '../../test/ledger-lab/people.fixture.js';
import { StoppingStore } from '../../test/ledger-lab/stopping-store.fixture.js';

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

  it('given a process that stopped after accepting it, when the command comes again, then it is done once', async () => {
    let store: StoppingStore | undefined;
    const failing = await lab.instance({ wrapStore: (inner) => (store = new StoppingStore(inner)) });
    const saver = person();
    await lab.know(saver);
    const command = { commandId: randomUUID(), userId: saver.card.id, amountCents: 700 };
    store?.stopAfter('DepositAccepted');
    await expect(failing.addFunds(command)).rejects.toThrow();
    expect(await instance.balance(saver)).toBe(0);
    await instance.fund(saver, 10);
    await Promise.all([1, 2, 3].map(() => instance.addFunds(command)));
    await instance.addFunds(command);
    expect(await instance.balance(saver)).toBe(710);
    await lab.expectInOrder();
  });
});
