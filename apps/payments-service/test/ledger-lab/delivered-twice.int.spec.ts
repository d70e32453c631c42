import { randomUUID } from 'node:crypto';
import type { CreatePayment } from '@settle/contracts';
import { idTimeMs, derivePaymentId, randomId } from '@settle/contracts';
import { NO_STREAM, RevisionConflict, type EventStore } from '@settle/event-store';
import { altered } from './altered-store.fixture.js';
import { LedgerLab, type LabInstance } from './ledger-lab.fixture.js';
import { actCommand, anEmail, createCommand, pair, person } from './people.fixture.js';

const CHANGES: readonly { readonly given: string; readonly change: Partial<CreatePayment> }[] = [
  { given: 'a pay', change: {} },
  { given: 'a pay without funds', change: { amountCents: 100_000 } },
  { given: 'a charge', change: { action: 'charge' } },
];

describe('a command that is delivered twice', () => {
  let lab: LedgerLab;
  let instances: readonly [LabInstance, LabInstance];
  const alice = person();
  const bob = person();
  const truster = person();

  beforeAll(async () => {
    lab = await LedgerLab.open();
    instances = [await lab.instance(), await lab.instance()];
    await lab.know(alice, bob, truster, pair(truster, alice, { trusts: true }));
    await instances[0].fund(alice, 10_000);
    await instances[0].fund(truster, 10_000);
  });
  afterAll(() => lab.close());

  describe.each(['one instance', 'two instances'])('to %s', (where) => {
    const pairOfInstances = () => (where === 'one instance' ? [instances[0], instances[0]] : instances);

    it.each(CHANGES)(
      'given $given, when both run at once, then it is one payment with one answer',
      async ({ change }) => {
        const command = createCommand(alice, bob, change);
        const [one, other] = await Promise.all(pairOfInstances().map(({ commands }) => commands.create(command)));
        expect(other?.payment).toEqual(one?.payment);
        expect(await instances[0].view(bob, command.paymentId)).toEqual(one?.payment);
        const later = await instances[1].commands.create(command);
        expect(later).toEqual({ payment: one?.payment, balanceCents: await instances[1].balance(alice) });
      },
    );

    it('given a trusted charge, when both run at once, then it is debited once', async () => {
      const before = await instances[0].balance(truster);
      const command = createCommand(alice, truster, { action: 'charge' });
      const [one, other] = await Promise.all(pairOfInstances().map(({ commands }) => commands.create(command)));
      expect(other?.payment).toEqual(one?.payment);
      expect(await instances[0].balance(truster)).toBe(before - 100);
    });

    it.each(['approve', 'deny', 'cancel'] as const)(
      'given a charge, when both %s it at once, then both get the same response',
      async (action) => {
        const { payment } = await instances[0].create(bob, alice, { action: 'charge' });
        const command = actCommand(action === 'cancel' ? bob : alice, action, payment.id);
        const [one, other] = await Promise.all(pairOfInstances().map(({ commands }) => commands.act(command)));
        expect(other).toEqual(one);
        expect(await instances[1].view(bob, payment.id)).toEqual(one);
      },
    );

    it('given a held pay, when both cancel it at once, then the refund is one', async () => {
      const { payment } = await instances[0].create(alice, anEmail());
      const command = actCommand(alice, 'cancel', payment.id);
      const [one, other] = await Promise.all(pairOfInstances().map(({ commands }) => commands.act(command)));
      expect(one?.refund?.status).toBe('settled');
      expect(other).toEqual(one);
    });
  });

  it('given a deposit, when it is sent to both at once and again, then the money is there once', async () => {
    const command = { commandId: randomUUID(), userId: person().card.id, amountCents: 50 };
    const sent = instances.map((instance) => instance.addFunds(command));
    expect(await Promise.all(sent)).toEqual(Array(2).fill({ balanceCents: 50 }));
    expect(await instances[1].addFunds(command)).toEqual({ balanceCents: 50 });
  });

  // Shows payment-5
  it('given another payment under the id, when created, then the next id of its command is drawn', async () => {
    const { payment } = await instances[0].create(alice, bob);
    const command = createCommand(alice, bob, { paymentId: payment.id, note: 'another' });
    const { payment: second } = await instances[1].commands.create(command);
    expect(second).toMatchObject({ status: 'settled', note: 'another' });
    expect(second.id).not.toBe(payment.id);
    expect(second.id).toBe(derivePaymentId(idTimeMs(payment.id), command.commandId, 1));
    expect(await instances[0].view(bob, payment.id)).toEqual(payment);
  });

  it('given a collision, when the command is delivered again, then it finds the payment under its next id', async () => {
    const { payment } = await instances[0].create(alice, bob);
    const command = createCommand(alice, bob, { paymentId: payment.id });
    const before = await instances[0].balance(alice);
    const answers = await Promise.all(instances.map(({ commands }) => commands.create(command)));
    answers.push(await instances[0].commands.create(command));
    expect(new Set(answers.map((answer) => answer.payment.id)).size).toBe(1);
    expect(await instances[0].balance(alice)).toBe(before - 100);
  });

  it('given a collision that comes after a conflict, when the command is delivered elsewhere, then it draws the same id', async () => {
    const command = createCommand(alice, bob);
    const taken = createCommand(bob, alice, { action: 'charge', paymentId: command.paymentId });
    const take = () => instances[0].commands.create(taken);
    const unlucky = await lab.instance({ wrapStore: (store) => unluckyStore(store, take) });
    const first = await unlucky.commands.create(command);
    await unlucky.stop();
    expect(first.payment.id).not.toBe(command.paymentId);
    expect((await instances[0].commands.create(command)).payment).toEqual(first.payment);
  });

  it('given unknown ids, when acted on or read, then resource_not_found', async () => {
    const notFound = { code: 'resource_not_found' };
    const id = randomId(Date.now());
    for (const action of ['approve', 'deny', 'cancel'] as const) {
      await expect(instances[0].act(alice, action, id)).rejects.toMatchObject(notFound);
    }
    await expect(instances[0].view(alice, id)).rejects.toMatchObject(notFound);
  });

  it('given all of this, when the ledger is read over, then it is in order', async () => {
    await lab.expectInOrder();
  });
});

/** Its first append conflicts with an event of another process; before its second, `meanwhile` happens. */
function unluckyStore(store: EventStore, meanwhile: () => Promise<unknown>): EventStore {
  let appends = 0;
  return altered(store, {
    append: async (unit) => {
      appends += 1;
      if (appends === 1) throw new RevisionConflict(unit[0]?.stream ?? '', NO_STREAM);
      if (appends === 2) await meanwhile();
      return store.append(unit);
    },
  });
}
