import { SANDBOX_TEST_USER, type CreatePayment, type PaymentTarget, type UserRecord } from '@settle/contracts';
import { openEventStoreDb, type EventStore } from '@settle/event-store';
import { EventStoreDbStandIn, eventually } from '@settle/testing';
import { usersStateController } from '../../src/messages/users-state.controller.js';
import { LedgerLab, type LabInstance } from './ledger-lab.fixture.js';
import { actCommand, anEmail, createCommand, pair, person, proves } from './people.fixture.js';
import { SharedOut } from './sharing-bus.fixture.js';

const SANDBOX = { environment: 'sandbox' } as const;
const TEST_USER = { type: 'user', value: SANDBOX_TEST_USER.id } as const;
const byParity = (userId: string) => Number(BigInt(userId) % 2n);

describe.each(['Postgres', 'EventStoreDB'])('the sandbox of two instances, with its events in %s', (kind) => {
  let standIn: EventStoreDbStandIn | null = null;
  let lab: LedgerLab;
  let shared: SharedOut;
  const people: UserRecord[] = [];

  beforeAll(async () => {
    lab = await LedgerLab.open();
    shared = new SharedOut(byParity);
    standIn = kind === 'Postgres' ? null : await EventStoreDbStandIn.start();
    const url = standIn?.url;
    const openStore = (): Promise<EventStore> => openEventStoreDb({ url: url ?? '' });
    for (const index of [0, 1]) {
      const place = { bus: shared.bus(index), hasSandbox: true, ...(url !== undefined && { openStore }) };
      shared.instances.push(await lab.instance(place));
    }
    for (const index of [0, 1]) people[index] = personOf(index);
    await lab.know(...people, pair(people[0]!, people[1]!));
  });
  afterAll(async () => {
    await lab.close();
    await standIn?.stop();
  });

  function personOf(index: number): UserRecord {
    const drawn = person();
    return byParity(drawn.card.id) === index ? drawn : personOf(index);
  }

  const instanceOf = ({ card }: UserRecord) => shared.instances[byParity(card.id)] as LabInstance;
  const send = (actor: UserRecord, target: UserRecord | PaymentTarget, change: Partial<CreatePayment> = {}) =>
    instanceOf(actor).commands.create(createCommand(actor, target, { ...SANDBOX, ...change }));
  const balances = (instance: LabInstance) =>
    Promise.all(
      people.map(({ card }) =>
        instance.queries.balance({ userId: card.id, ...SANDBOX }).then((got) => got.balanceCents),
      ),
    );

  it('given two owners, when one pays and charges the other, then each writes its own wallet, and both see it', async () => {
    const [one, other] = people as [UserRecord, UserRecord];
    const asked = shared.asked;
    const { payment, balanceCents } = await send(one, other, { amountCents: 100 });
    expect([payment.status, balanceCents]).toEqual(['settled', 900]);
    expect(shared.asked).toBe(asked + 1);
    const charge = (await send(one, other, { action: 'charge', amountCents: 30 })).payment.id;
    await instanceOf(other).commands.act({ ...actCommand(other, 'approve', charge), ...SANDBOX });
    for (const instance of shared.instances) {
      expect(await balances(instance)).toEqual([930, 1_070]);
      expect(await instance.balance(one)).toBe(0);
    }
  });

  it('given its test user, when each instance is asked, then both show the outcome in one append', async () => {
    for (const who of people) {
      const { payment, balanceCents } = await send(who, TEST_USER, { amountCents: 10 });
      expect([payment.status, balanceCents]).toEqual(['settled', 990]);
      for (const { queries } of shared.instances) {
        const query = { paymentId: payment.id, viewerId: who.card.id, ...SANDBOX };
        expect(await queries.get(query)).toEqual(payment);
      }
    }
  });

  it('given a proof that another instance learns of, when a pay was held for it, then its owner settles it', async () => {
    const [payer, owner] = people as [UserRecord, UserRecord];
    const mail = anEmail();
    const { payment } = await send(payer, mail, { amountCents: 10 });
    const proven = proves(owner, mail);
    people[1] = proven;
    const records = [{ key: owner.card.id, payload: proven }];
    await new (usersStateController('spec'))(instanceOf(payer).ledgers).follow(records as never);
    await eventually(async () => {
      const query = { paymentId: payment.id, viewerId: owner.card.id, ...SANDBOX };
      expect((await instanceOf(owner).queries.get(query)).status).toBe('settled');
    });
  });

  it('given the instance that writes its read models, when it stops, then the other goes on with them', async () => {
    const [one, other] = people as [UserRecord, UserRecord];
    const writers = () =>
      shared.instances.filter(({ ledgers }) => ledgers.sandbox.projector.progress().isProjecting).length;
    expect(writers()).toBe(1);
    const stopping = shared.instances.find(({ ledgers }) => ledgers.sandbox.projector.progress().isProjecting);
    await stopping?.ledgers.sandbox.projector.stop();
    await eventually(async () => expect(writers()).toBe(1));
    const left = shared.instances.find((instance) => instance !== stopping) as LabInstance;
    const who = instanceOf(one) === left ? one : other;
    const { payment } = await send(who, TEST_USER, { amountCents: 20 });
    expect(await left.queries.get({ paymentId: payment.id, viewerId: who.card.id, ...SANDBOX })).toEqual(payment);
  });
});
