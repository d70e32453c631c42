import type { PaymentView, UserRecord } from '@settle/contracts';
import { openEventStoreDb, type EventStore, type StreamAppend } from '@settle/event-store';
import { EventStoreDbStandIn, eventually } from '@settle/testing';
import { altered } from './altered-store.fixture.js';
import { LedgerLab, type LabInstance } from './ledger-lab.fixture.js';
import { signal } from './lost-approval.fixture.js';
import { anEmail, person, proves } from './people.fixture.js';
import { StoppingStore, stepOf } from './stopping-store.fixture.js';

/** The first step of an approval: a debit, or a charge that is still to be answered. */
const isApproval = (append: StreamAppend) => ['FundsDebited', 'FundingRequested'].includes(stepOf(append));

interface Loser {
  readonly pays: string;
  readonly traits: Partial<UserRecord>;
  readonly cents: number;
}
const FROM_BALANCE: Loser = { pays: 'from the balance', traits: {}, cents: 1_000 };
const FROM_CARD: Loser = { pays: 'from a card', traits: { fundingSourceId: 'test-card-1' }, cents: 0 };

/** Both store the loser's unit append by append, as EventStoreDB does. */
describe.each(['PostgreSQL', 'EventStoreDB'])('a request to an address that changes hands, events in %s', (place) => {
  let standIn: EventStoreDbStandIn | undefined;
  let lab: LedgerLab;
  let steady: LabInstance;
  let aheadMs = 0;

  beforeAll(async () => {
    if (place === 'EventStoreDB') standIn = await EventStoreDbStandIn.start();
    lab = await LedgerLab.open();
    steady = await instance();
  });
  afterAll(async () => {
    await lab.close();
    await standIn?.stop();
  });

  function instance(wrapStore: (store: EventStore) => EventStore = (store) => store): Promise<LabInstance> {
    const url = standIn?.url;
    const onStandIn =
      url === undefined ? {} : { openStore: () => openEventStoreDb({ url, limits: { answerMs: 1_000 } }) };
    return lab.instance({ ...onStandIn, wrapStore, nowMs: () => Date.now() + aheadMs });
  }

  /** An instance that waits before it stores an approval until `release` was called, and may die right after it. */
  async function slowInstance(dies: boolean) {
    const deciding = signal();
    const released = signal();
    const slow = await instance((inner) => {
      const store = new StoppingStore(inner);
      return altered(store, {
        append: async (unit) => {
          const approval = unit.find(isApproval);
          if (approval !== undefined) {
            deciding.give();
            await released.given;
            if (dies) store.stopAfter(stepOf(approval));
          }
          return store.append(unit);
        },
      });
    });
    return { slow, isDeciding: deciding.given, release: () => released.give() };
  }

  /** The first owner of the address approves; before that is stored, the second one has approved and paid. */
  async function race(loser: Loser, dies: boolean) {
    const [actor, first, second] = [person(), person(loser.traits), person()];
    await lab.know(actor, first, second);
    await steady.fund(second, 1_000);
    if (loser.cents > 0) await steady.fund(first, loser.cents);
    const address = anEmail();
    const { payment } = await steady.create(actor, address, { action: 'charge' });

    await lab.know(proves(first, address, 1));
    const { slow, isDeciding, release } = await slowInstance(dies);
    const approving = slow.act(first, 'approve', payment.id);
    approving.catch(() => undefined);
    await isDeciding;
    await lab.know(proves(second, address, 2));
    const won = await steady.act(second, 'approve', payment.id);
    release();
    const [answer] = await Promise.allSettled([approving]);
    await slow.stop();
    return { actor, first, second, won, answer };
  }

  async function expectReturned(
    loser: Loser,
    { actor, first, second, won }: { actor: UserRecord; first: UserRecord; second: UserRecord; won: PaymentView },
  ): Promise<void> {
    await eventually(
      async () => {
        aheadMs += 60_000;
        await steady.ledger.worker.runDueWork();
        const balances = [await steady.balance(actor), await steady.balance(second), await steady.balance(first)];
        expect(balances).toEqual([100, 900, loser.cents]);
      },
      { timeoutMs: 30_000 },
    );
    expect(won).toMatchObject({ status: 'settled', target: { user: { id: second.card.id } } });
    if (standIn === undefined) await lab.expectInOrder();
  }

  it.each([FROM_BALANCE, FROM_CARD])(
    'given two users who approve at once, when the one who pays $pays loses, then the debit comes back and the answer says no',
    async (loser) => {
      const raced = await race(loser, false);
      expect(raced.answer).toMatchObject({ status: 'rejected', reason: { code: 'payment_not_pending' } });
      await expectReturned(loser, raced);
    },
  );

  it.each([FROM_BALANCE, FROM_CARD])(
    'given two users who approve at once, when the instance of the one who pays $pays dies and loses, then the debit comes back',
    async (loser) => {
      const raced = await race(loser, true);
      expect(raced.answer.status).toBe('rejected');
      await expectReturned(loser, raced);
    },
  );
});
