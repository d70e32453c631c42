import { jest } from '@jest/globals';
import type { EventStore } from '@settle/event-store';
import type { RequestAction, UserRecord } from '@settle/contracts';
import { eventually } from '@settle/testing';
import { READ_MODEL_NAMES, tablesOf } from '../../src/read-models/registry.js';
import { altered } from './altered-store.fixture.js';
import { LedgerLab, type LabInstance } from './ledger-lab.fixture.js';
import { anEmail, createCommand, pair, person, untilAnswered } from './people.fixture.js';

/** Gives every batch twice, and once more with the batch before it. */
function repeating(store: EventStore): EventStore {
  return altered(store, {
    subscribe: (options) => {
      let before: Parameters<typeof options.handle>[0] = [];
      const handle: typeof options.handle = async (events, upTo) => {
        await options.handle(events, upTo);
        await options.handle(events, upTo);
        await options.handle([...before, ...events], upTo);
        before = events;
      };
      return store.subscribe({ ...options, handle });
    },
  });
}

describe('the projector', () => {
  let lab: LedgerLab;
  let first: LabInstance;
  const crowd: UserRecord[] = [];

  beforeEach(async () => {
    lab = await LedgerLab.open();
    first = await lab.instance();
    crowd.splice(0, crowd.length, person(), person(), person());
    const [one, other] = crowd;
    if (one === undefined || other === undefined) throw new RangeError();
    await lab.know(...crowd, pair(one, other, { trusts: true }));
    for (const who of crowd) await first.fund(who, 10_000);
  });
  afterEach(async () => {
    await lab.expectInOrder();
    await lab.close();
  });

  /** Payments of every kind, so many at once. */
  async function live(instance: LabInstance, count: number): Promise<void> {
    const lives = Array.from({ length: count }, async (_, index) => {
      const [actor, target] = [crowd[index % 3], crowd[(index + 1) % 3]];
      if (actor === undefined || target === undefined) throw new RangeError();
      const isCharge = index % 5 === 1;
      const isHeld = index % 5 === 2;
      const command = createCommand(actor, isHeld ? anEmail() : target, { action: isCharge ? 'charge' : 'pay' });
      // Two instances that both take all wallets to be theirs get into each other's way.
      const { payment } = await untilAnswered(() => instance.commands.create(command));
      const act = (who: UserRecord, action: RequestAction) =>
        untilAnswered(() => instance.act(who, action, payment.id));
      if (isHeld && index % 2 === 0) await act(actor, 'cancel');
      if (payment.status === 'pending' && isCharge) await act(target, index % 2 === 0 ? 'approve' : 'deny');
    });
    await Promise.all(lives);
  }

  it('given payments in progress, when it stops and another starts, then the read models equal a replay', async () => {
    const living = live(first, 60);
    const stopping = first.ledger.projector.stop();
    const second = await lab.instance();
    await Promise.all([living, stopping]);
    await live(second, 20);
  });

  it('given batches that come again and overlap, when taken in, then every row is there once', async () => {
    await first.ledger.projector.stop();
    const second = await lab.instance({ wrapStore: repeating });
    await live(second, 60);
  });

  it('given two on one database, when the checkpoint moves under one, then it goes on from there', async () => {
    const second = await lab.instance();
    await lab.know(...crowd);
    await Promise.all([live(first, 60), live(second, 60)]);
    const [who] = crowd;
    if (who === undefined) throw new RangeError();
    // An answer waits for its own instance's projector: neither has been left behind.
    for (const instance of [first, second]) {
      const waits = jest.spyOn(instance.ledger.projector, 'waitForPosition');
      await instance.fund(who, 1);
      expect(await waits.mock.results[0]?.value).toBe(true);
    }
  });

  it('given connections that break in the middle of writing, when they are back, then every row is there once', async () => {
    let isLiving = true;
    const living = live(first, 300).finally(() => (isLiving = false));
    while (isLiving) {
      await lab.pool.query(
        `select pg_terminate_backend(pid) from pg_stat_activity
         where application_name = 'payments-projections' and datname = current_database()`,
      );
    }
    await living;
  });

  describe('given read models that are emptied under it', () => {
    beforeEach(async () => {
      await live(first, 30);
      await lab.caughtUp();
      await lab.pool.query(`begin; truncate ${tablesOf(READ_MODEL_NAMES)
        .map(({ name }) => name)
        .join()};
        update checkpoints set position = 0; update checkpoint_positions set position = 0; commit`);
    });
    const expectBuilt = () =>
      eventually(async () => expect((await lab.pool.query('select from payments')).rowCount).toBeGreaterThan(29));

    it('when the next event comes, then they are built anew', async () => {
      const [who] = crowd;
      if (who === undefined) throw new RangeError();
      await first.fund(who, 1);
      await expectBuilt();
    });

    // As in a crash of the database, which may lose the last transactions.
    it('when its connections end and no event comes, then they are built anew', async () => {
      await lab.pool.query(
        `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database()
           and (pid, backend_start) in (select backend_pid, backend_start from checkpoints)`,
      );
      await expectBuilt();
    });
  });
});
