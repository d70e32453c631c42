import { jest } from '@jest/globals';
import type { EventStore, SubscribeOptions } from '@settle/event-store';
import { eventually } from '@settle/testing';
import { LEDGER_PROJECTION } from '../../src/read-models/ledger/ledger-projection.js';
import { PROJECTION } from '../../src/projection/checkpoints.js';
import { altered } from './altered-store.fixture.js';
import { LedgerLab, type LabInstance } from './ledger-lab.fixture.js';
import { listQuery, person } from './people.fixture.js';

/** A log whose subscribers wait before they handle a batch, while it is held. */
class HeldLog {
  #held: Promise<void> | null = null;
  release: () => void = () => undefined;

  hold(): void {
    this.#held = new Promise((resolve) => (this.release = resolve));
  }

  readonly wrap = (store: EventStore): EventStore =>
    altered(store, {
      subscribe: (options: SubscribeOptions) =>
        store.subscribe({
          ...options,
          handle: async (events, upTo) => {
            await this.#held;
            await options.handle(events, upTo);
          },
        }),
    });
}

describe('reads after responses of the only instance', () => {
  let lab: LedgerLab;
  let log: HeldLog;
  let only: LabInstance;
  const [alice, bob] = [person(), person()];

  beforeEach(async () => {
    lab = await LedgerLab.open();
    log = new HeldLog();
    only = await lab.instance({ isOnlyInstance: true, wrapStore: log.wrap });
    await lab.know(alice, bob);
    await only.fund(alice, 10_000);
  });
  afterEach(async () => {
    log.release();
    await lab.expectInOrder();
    await lab.close();
  });

  const listed = async () => (await only.queries.list(listQuery(bob))).payments.map(({ id }) => id);

  it('given read models that have not reached a payment, when it is answered, then the answer does not wait and every read does', async () => {
    const waits = jest.spyOn(only.ledger.projector, 'waitForPosition');
    log.hold();
    const { payment, balanceCents } = await only.create(alice, bob, { amountCents: 100 });
    expect(balanceCents).toBe(9_900);
    expect(waits).not.toHaveBeenCalled();
    const reads = Promise.all([listed(), only.view(bob, payment.id), only.balance(bob), only.balance(alice)]);
    await eventually(() => expect(waits).toHaveBeenCalledTimes(4));
    log.release();
    expect(await reads).toEqual([[payment.id], expect.objectContaining({ status: 'settled' }), 100, 9_900]);
  });

  it('given read models that stay behind, when the next payment comes, then its answer waits for them', async () => {
    log.hold();
    await only.create(alice, bob);
    const { projector } = only.ledger;
    await eventually(() => expect(projector.progress().behindMs).toBeGreaterThan(100));
    const waits = jest.spyOn(projector, 'waitForPosition');
    const created = only.create(alice, bob);
    await eventually(() => expect(waits).toHaveBeenCalledTimes(1));
    log.release();
    const { payment } = await created;
    expect(await listed()).toContain(payment.id);
  });

  it('given a stop between an answer and the read models, when it starts again, then it serves once they show the payment', async () => {
    const { payment } = await only.create(alice, bob);
    await lab.caughtUp();
    await only.ledger.stop();
    const tables = LEDGER_PROJECTION.tables.map(({ table }) => table.name).join(', ');
    await lab.pool.query(`truncate ${tables}`);
    await lab.pool.query(`update checkpoint_positions set position = 0 where name = $1`, [PROJECTION]);
    await only.ledger.start();
    const waits = jest.spyOn(only.ledger.projector, 'waitForPosition');
    expect(await listed()).toEqual([payment.id]);
    expect(waits).not.toHaveBeenCalled();
  });
});
