import type { PaymentView, UserRecord } from '@settle/contracts';
import { eventually } from '@settle/testing';
import type { LabInstance } from './ledger-lab.fixture.js';
import { FundingLab } from './open-charges.fixture.js';
import { pair, person } from './people.fixture.js';
import { SharedOut } from './sharing-bus.fixture.js';

const CARD = { fundingSourceId: 'source-1' };
const byParity = (userId: string) => Number(BigInt(userId) % 2n);

describe('open charges of wallets that are shared out among two instances', () => {
  let funding: FundingLab;
  let shared: SharedOut;
  /** The payer's wallet belongs to the first instance, the payee's to the second. */
  let instances: [LabInstance, LabInstance];
  let payer: UserRecord;
  let payee: UserRecord;

  beforeEach(async () => {
    funding = await FundingLab.open();
    shared = new SharedOut(byParity);
    instances = [await funding.instance({ bus: shared.bus(0) }), await funding.instance({ bus: shared.bus(1) })];
    shared.instances.push(...instances);
    [payer, payee] = [personOf(0), personOf(1)];
    await funding.lab.know(payer, payee);
  });
  afterEach(async () => {
    await funding.expectInOrder();
    await funding.lab.close();
  });

  function personOf(index: number): UserRecord {
    for (;;) {
      const drawn = person(CARD);
      if (byParity(drawn.card.id) === index) return drawn;
    }
  }

  const statusOf = async ({ id }: PaymentView) => {
    await funding.lab.caughtUp();
    return (await instances[1].view(payer, id)).status;
  };
  const keyOf = ({ id }: PaymentView) => `${id}:${payer.card.id}:1`;
  const balances = async () => [await instances[0].balance(payer), await instances[0].balance(payee)];

  it('given a pay, when the provider approves at once, then it has settled and the other owner has credited it', async () => {
    const { payment } = await instances[0].create(payer, payee);
    expect([payment.status, ...(await balances())]).toEqual(['settled', 0, 100]);
  });

  it('given a trusted charge, when the friend is charged by the other instance, then it is pending until that settles it', async () => {
    await funding.lab.know(pair(payer, payee, { trusts: true }));
    const { payment } = await instances[1].create(payee, payer, { action: 'charge' });
    expect(['pending', 'settled']).toContain(payment.status);
    await eventually(async () => expect(await statusOf(payment)).toBe('settled'));
    // The owner of the payee's wallet credits it after that.
    await eventually(async () => expect(await balances()).toEqual([0, 100]));
    expect(funding.books.charges.size).toBe(1);
  });

  it('given an approval whose charge is open, when the other user cancels, then it ends at once and the owner cancels the charge', async () => {
    funding.books.nextCharge = 'pending';
    const { payment } = await instances[1].create(payee, payer, { action: 'charge' });
    expect((await instances[0].act(payer, 'approve', payment.id)).status).toBe('pending');
    await funding.lab.caughtUp();
    expect((await instances[1].act(payee, 'cancel', payment.id)).status).toBe('cancelled');
    const isCancelled = () => expect(funding.books.charges.get(keyOf(payment))?.state).toBe('cancelled');
    await eventually(() => Promise.resolve(isCancelled()));
    for (const instance of instances) await funding.later(instance, 2_500);
    expect(await funding.walletEvents(payer)).toEqual(['WalletOpened', 'FundingRequested', 'FundingDeclined']);
  });

  it('given a change at the provider, when an instance learns of it that does not own the wallet, then the owner settles the pay', async () => {
    funding.books.nextCharge = 'pending';
    const { payment } = await instances[0].create(payer, payee);
    funding.books.decide(keyOf(payment), 'approved');
    await instances[1].ledger.funding?.followChange(payment.id, payer.card.id);
    await eventually(async () => expect(await statusOf(payment)).toBe('settled'));
    await eventually(async () => expect(await balances()).toEqual([0, 100]));
  });

  it('given two instances that both hold a wallet for theirs, when both get the answer, then the money is added once', async () => {
    funding.books.nextCharge = 'pending';
    const { payment } = await instances[0].create(payer, payee);
    await funding.lab.caughtUp();
    funding.books.decide(keyOf(payment), 'approved');
    const others = [await funding.instance(), await funding.instance()];
    await funding.lab.know(payer, payee);
    await Promise.all([...others, instances[0]].map(({ ledger }) => ledger.funding?.advanceNow(payment.id)));
    expect([await statusOf(payment), await balances()]).toEqual(['settled', [0, 100]]);
  });

  it('given a wallet that moves while the provider is asked, when the answer comes, then its new owner stores it', async () => {
    const release = funding.books.hold();
    const { payment } = await instances[0].create(payer, payee);
    expect(payment.status).toBe('pending');
    shared.shareOut(() => 1);
    release();
    await funding.later(instances[1], 2_500);
    expect([await statusOf(payment), await balances()]).toEqual(['settled', [0, 100]]);
    const steps = ['WalletOpened', 'FundingRequested', 'FundsAdded', 'FundsDebited'];
    expect(await funding.walletEvents(payer)).toEqual(steps);
  });
});
