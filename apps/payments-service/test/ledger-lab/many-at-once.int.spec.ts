import { LedgerLab, type LabInstance } from './ledger-lab.fixture.js';
import { createCommand, person, untilAnswered } from './people.fixture.js';

describe('many payments at once', () => {
  let lab: LedgerLab;
  let instances: readonly [LabInstance, LabInstance];
  let aheadMs = 0;

  beforeAll(async () => {
    lab = await LedgerLab.open();
    const options = { nowMs: () => Date.now() + aheadMs };
    instances = [await lab.instance(options), await lab.instance(options)];
  });
  afterAll(() => lab.close());

  async function people(count: number, cents: number) {
    const crowd = Array.from({ length: count }, () => person());
    await lab.know(...crowd);
    for (const who of cents > 0 ? crowd : []) await instances[0].fund(who, cents);
    return crowd;
  }

  const times = <Result>(count: number, act: (index: number) => Promise<Result>) =>
    Promise.all(Array.from({ length: count }, (_, index) => act(index)));

  it('given two wallets, when 200 payments go both ways at once, then all are settled and the sum is the same', async () => {
    const [one, other] = await people(2, 10_000);
    if (one === undefined || other === undefined) throw new RangeError();
    const answers = await times(200, (index) =>
      index % 2 === 0 ? instances[0].create(one, other) : instances[0].create(other, one),
    );
    expect(new Set(answers.map(({ payment }) => payment.status))).toEqual(new Set(['settled']));
    expect([await instances[0].balance(one), await instances[0].balance(other)]).toEqual([10_000, 10_000]);
    await lab.expectInOrder();
  });

  it('given a wallet that can afford ten, when it pays 50 times at once, then ten are settled and the rest failed', async () => {
    const [payer, payee] = await people(2, 1_000);
    if (payer === undefined || payee === undefined) throw new RangeError();
    const answers = await times(50, () => instances[0].create(payer, payee));
    const settled = answers.filter(({ payment }) => payment.status === 'settled');
    expect([settled.length, answers.length - settled.length]).toEqual([10, 40]);
    expect(answers.filter(({ payment }) => payment.status === 'failed')).toHaveLength(40);
    expect([await instances[0].balance(payer), await instances[0].balance(payee)]).toEqual([0, 2_000]);
    await lab.expectInOrder();
  });

  it('given a balance for ten on two instances, when both pay at once, then no more than ten are settled', async () => {
    const [payer, payee] = await people(2, 1_000);
    if (payer === undefined || payee === undefined) throw new RangeError();
    const answers = await times(50, (index) => paid(instances[index % 2] ?? instances[0], payer, payee));
    expect(answers.filter((answer) => answer.payment.status === 'settled')).toHaveLength(10);
    expect(await instances[1].balance(payer)).toBe(0);
    await lab.expectInOrder();
  });

  it('given a balance for ten and a card, when both instances pay at once, then the card pays what the balance cannot', async () => {
    const [payee] = await people(1, 0);
    const payer = person({ fundingSourceId: 'test-card-1' });
    if (payee === undefined) throw new RangeError();
    await lab.know(payer);
    await instances[0].fund(payer, 1_000);
    const answers = await times(40, (index) => paid(instances[index % 2] ?? instances[0], payer, payee));
    expect(new Set(answers.map((answer) => answer.payment.status))).toEqual(new Set(['settled']));
    expect([await instances[1].balance(payer), await instances[1].balance(payee)]).toEqual([0, 4_000]);
    const added = `select from ledger_entries where wallet_id = $1 and event_type = 'FundsAdded' and payment_id is not null`;
    expect((await lab.pool.query(added, [payer.card.id])).rowCount).toBe(30);
    await lab.expectInOrder();
  });

  it('given two instances, when both write into the same wallets, then every command is answered and nothing is lost', async () => {
    const crowd = await people(4, 100_000);
    const answers = await times(400, (index) => {
      const [actor, target] = [crowd[index % 4], crowd[(index + 1 + (index % 3)) % 4]];
      if (actor === undefined || target === undefined) throw new RangeError();
      return paid(instances[index % 2] ?? instances[0], actor, target);
    });
    expect(new Set(answers.map((answer) => answer.payment.status))).toEqual(new Set(['settled']));
    expect(new Set(answers.map((answer) => answer.payment.id)).size).toBe(400);
    await lab.caughtUp();
    aheadMs += 60_000;
    expect(await instances[0].ledger.worker.runDueWork()).toBe(0);
    await lab.expectInOrder();
  });
});

function paid(instance: LabInstance, ...pay: Parameters<typeof createCommand>) {
  const command = createCommand(...pay);
  return untilAnswered(() => instance.commands.create(command));
}
