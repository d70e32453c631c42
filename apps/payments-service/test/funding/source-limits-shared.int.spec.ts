import { randomUUID } from 'node:crypto';
import type { UserRecord } from '@settle/contracts';
import type { LabInstance } from '../ledger-lab/ledger-lab.fixture.js';
import { createCommand } from '../ledger-lab/people.fixture.js';
import { SharedOut } from '../ledger-lab/sharing-bus.fixture.js';
import { FundingUsersLab, attempt } from './funding-users.fixture.js';

describe('the limits of a source on several instances', () => {
  let lab: FundingUsersLab;
  let shared: SharedOut;

  beforeEach(async () => {
    lab = await FundingUsersLab.open();
    shared = new SharedOut(() => 0);
    for (const index of [0, 1]) shared.instances.push(await lab.funding.instance({ bus: shared.bus(index) }));
  });
  afterEach(async () => {
    await lab.expectInOrder();
    await lab.close();
  });

  const ownerOf = ({ card }: UserRecord): LabInstance => {
    const owner = shared.instances[shared.indexOf(card.id)];
    if (owner === undefined) throw new Error('No instance owns the user');
    return owner;
  };
  const pay = (user: UserRecord, to: UserRecord, amountCents: number) =>
    ownerOf(user).commands.create(createCommand(user, to, { amountCents }));

  it('given a payee of another instance, when a source pays, then the money is held there', async () => {
    const [{ user: payer }, { user: payee }] = [await lab.userWithSource(), await lab.userWithSource()];
    shared.shareOut((userId) => (userId === payee.card.id ? 1 : 0));
    await pay(payer, payee, 300);
    await lab.funding.lab.caughtUp();
    expect(await lab.overview(payee)).toMatchObject({ balanceCents: 300, withdrawableCents: 0 });
  });

  it('given a user who moves between instances, when deposits and payments are sent meanwhile, then the source pays within its limit', async () => {
    const [{ user, sourceKey }, payee] = [await lab.userWithSource(), await lab.user()];
    const deposit = () => {
      const command = { fundingId: randomUUID(), userId: user.card.id, sourceKey, amountCents: 20_000 };
      return attempt(ownerOf(user).funding.deposit({ ...command, beginBeforeMs: Number.MAX_SAFE_INTEGER }));
    };
    lab.books.nextCharge = 'pending';
    for (const owner of [0, 1, 0, 1]) {
      shared.shareOut(() => owner);
      await Promise.all([deposit(), attempt(pay(user, payee, 20_000)), deposit()]);
    }
    expect(lab.books.charges.size).toBe(2);
  });
});
