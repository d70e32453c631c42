import { randomUUID } from 'node:crypto';
import { openEventStoreDb } from '@settle/event-store';
import { EventStoreDbStandIn, readRelatedEvents, type RelatedEvent } from '@settle/testing';
import { claimAction, expiryAction } from '../../src/commands/payment-actions.js';
import { FundingUsersLab } from '../funding/funding-users.fixture.js';
import { LedgerLab, type LabInstance } from './ledger-lab.fixture.js';
import { actCommand, anEmail, createCommand, person } from './people.fixture.js';

const US_PER_DAY = 86_400_000_000;

/** The kind of stream and the type, in order. Which wallet it is does not matter here. */
const shapesOf = (events: readonly RelatedEvent[]) =>
  events.map(({ stream, type }) => `${stream.slice(0, stream.indexOf('-'))} ${type}`);

describe('events that belong together, in EventStoreDB', () => {
  let standIn: EventStoreDbStandIn;
  let lab: LedgerLab;
  let instance: LabInstance;
  const [alice, bob] = [person(), person()];
  const openStore = () => openEventStoreDb({ url: standIn.url });

  beforeAll(async () => {
    standIn = await EventStoreDbStandIn.start();
    lab = await LedgerLab.open();
    instance = await lab.instance({ openStore });
    await lab.know(alice, bob);
    await instance.fund(alice, 10_000);
    await instance.fund(bob, 10_000);
  });
  afterAll(async () => {
    await lab.close();
    await standIn.stop();
  });

  /** Returns the events with a correlation id, after checking that no other event is of the same payment. */
  async function eventsOf(paymentId: string): Promise<RelatedEvent[]> {
    const all = await readRelatedEvents(standIn.url);
    const [own, others] = [true, false].map((isOwn) =>
      all.filter((each) => (each.correlationId === paymentId) === isOwn),
    );
    expect(others?.filter(({ stream }) => stream === `payment-${paymentId}`)).toEqual([]);
    return own ?? [];
  }

  const causesOf = (events: readonly RelatedEvent[]) => events.map(({ causationId }) => causationId);

  it('given a payment, when it is settled, then its four events have its id and that of the command', async () => {
    const command = createCommand(alice, bob);
    const { payment } = await instance.commands.create(command);
    const events = await eventsOf(payment.id);
    expect(shapesOf(events).sort()).toEqual([
      'payment PaymentCreated',
      'payment PaymentSettled',
      'wallet FundsCredited',
      'wallet FundsDebited',
    ]);
    expect(new Set(causesOf(events))).toEqual(new Set([command.commandId]));
  });

  it('given a request, when it is approved, then the events after the creation name the command of the approval', async () => {
    const command = createCommand(alice, bob, { action: 'charge' });
    const { payment } = await instance.commands.create(command);
    const approval = actCommand(bob, 'approve', payment.id);
    await instance.commands.act(approval);
    const [created, ...approved] = await eventsOf(payment.id);
    expect([created?.type, created?.causationId]).toEqual(['PaymentCreated', command.commandId]);
    expect(approved).toHaveLength(3);
    expect(new Set(causesOf(approved))).toEqual(new Set([approval.commandId]));
  });

  it.each(['claimed', 'expired'])(
    'given a held pay, when it is %s without a command, then the newest event of the payment is the cause',
    async (end) => {
      const { payment } = await instance.create(alice, anEmail());
      const { transfers, clock } = instance.ledger;
      const action =
        end === 'claimed'
          ? claimAction(bob.card.id, clock.nowUs())
          : expiryAction(null, 30 * US_PER_DAY, clock.nowUs() + 31 * US_PER_DAY);
      await transfers.advance(payment.id, action);
      const [created, debited, ...ended] = await eventsOf(payment.id);
      expect([created?.type, debited?.type]).toEqual(['PaymentCreated', 'FundsDebited']);
      expect(ended).toHaveLength(2);
      expect(new Set(causesOf(ended))).toEqual(new Set([created?.id]));
    },
  );

  it('given a lost response, when the command is repeated, then the same events are there once, with the same ids', async () => {
    const command = createCommand(alice, bob, {
      idempotency: { key: randomUUID(), requestHash: Buffer.alloc(32).toString('hex') },
    });
    await standIn.fail({ responsesToDrop: 1 });
    await instance.commands.create(command).catch(() => undefined);
    const { payment } = await instance.commands.create(command);
    const events = await eventsOf(payment.id);
    expect([events.length, new Set(events.map(({ id }) => id)).size]).toEqual([4, 4]);
    expect(events[0]).toMatchObject({ type: 'PaymentCreated', causationId: command.commandId });
    await instance.commands.create(command);
    expect(await eventsOf(payment.id)).toEqual(events);
  });

  it('given test money, when it is added, then its command is found', async () => {
    const commandId = randomUUID();
    await instance.addFunds({ commandId, userId: alice.card.id, amountCents: 500 });
    const events = await eventsOf(commandId);
    expect(shapesOf(events)).toEqual(['deposit DepositAccepted', 'wallet FundsAdded']);
    expect(causesOf(events)).toEqual([commandId, commandId]);
  });

  it('given a deposit from a source, when it is settled, then all its events have its id', async () => {
    const funding = await FundingUsersLab.open({ openStore });
    try {
      const { user, sourceKey } = await funding.userWithSource();
      const { id, status } = await funding.deposit(user, sourceKey);
      expect(status).toBe('settled');
      const events = await eventsOf(id);
      expect(shapesOf(events)).toContain('deposit DepositRequested');
      expect(shapesOf(events)).toContain('wallet FundsAdded');
      expect((await readRelatedEvents(standIn.url)).filter(({ stream }) => stream === `deposit-${id}`)).toEqual(
        events.filter(({ stream }) => stream.startsWith('deposit-')),
      );
      expect(new Set(causesOf(events))).toEqual(new Set([id]));
    } finally {
      await funding.close();
    }
  });
});
