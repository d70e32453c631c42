import { forEachConcurrent } from '@settle/concurrency';
import { LIMITS } from '@settle/config';
import type { EventStore } from '@settle/event-store';
import { eventually } from '@settle/testing';
import { altered } from '../../test/ledger-lab/altered-store.fixture.js';
import { LedgerLab } from '../../test/ledger-lab/ledger-lab.fixture.js';
import { anEmail, person, proves } from '../../test/ledger-lab/people.fixture.js';

const MS_PER_DAY = 86_400_000;

/** Lets no payment be settled until it is opened. */
class Gate {
  waiting = 0;
  open = () => {};
  readonly #opened = new Promise<void>((resolve) => (this.open = resolve));

  readonly before = (store: EventStore): EventStore =>
    altered(store, {
      append: async (unit) => {
        if (unit.some(({ events }) => events.some(({ type }) => type === 'PaymentSettled'))) {
          this.waiting += 1;
          await this.#opened;
        }
        return store.append(unit);
      },
    });
}

describe('the worker', () => {
  let lab: LedgerLab;

  beforeEach(async () => {
    lab = await LedgerLab.open();
  });
  afterEach(async () => {
    await lab.expectInOrder();
    await lab.close();
  });

  // Shows act-25
  it.each([
    ['raised', 60],
    ['lowered', 10],
  ])('given pending payments, when the days until expiry are %s, then the new ones count', async (_, days) => {
    const first = await lab.instance();
    const payer = person();
    await lab.know(payer);
    await first.fund(payer, 1_000);
    const { payment } = await first.create(payer, anEmail());
    await lab.caughtUp();
    await first.stop();
    let aheadMs = (days - 1) * MS_PER_DAY;
    const env = { PAYMENT_EXPIRY_DAYS: String(days) };
    const next = await lab.instance({ env, nowMs: () => Date.now() + aheadMs });
    expect(await next.ledger.worker.runDueWork()).toBe(0);
    aheadMs += MS_PER_DAY;
    expect(await next.ledger.worker.runDueWork()).toBe(1);
    await lab.caughtUp();
    expect((await next.view(payer, payment.id)).status).toBe('expired');
  });

  it('given more due payments than a round takes, when rounds run, then the next one follows soon and finds the others', async () => {
    const { workerRows, workerTickMs } = LIMITS.payments;
    const [first, payer] = [await lab.instance(), person()];
    await lab.know(payer);
    await first.fund(payer, 100 * (workerRows + 1));
    await forEachConcurrent(Array.from({ length: workerRows + 1 }, anEmail), 50, async (email) => {
      await first.create(payer, email);
    });
    await lab.caughtUp();
    await first.stop();
    const next = await lab.instance({ nowMs: () => Date.now() + 31 * MS_PER_DAY });
    const { worker } = next.ledger;
    const pauseMs = await worker.runRound();
    expect(pauseMs).toBeLessThanOrEqual(workerTickMs);
    expect(worker.startedRows.expire).toBe(workerRows);
    expect(await worker.runRound()).toBeUndefined();
    expect(worker.startedRows.expire).toBe(workerRows + 1);
  });

  it('given claims in progress, when the ledger stops, then it waits for them and starts no others', async () => {
    const gate = new Gate();
    const instance = await lab.instance({ wrapStore: gate.before });
    const [payer, owner, mail] = [person(), person(), anEmail()];
    await lab.know(payer, owner);
    await instance.fund(payer, 10_000);
    for (let count = 1; count <= 20; count += 1) await instance.create(payer, mail);
    await lab.caughtUp();
    const { ledger } = instance;
    ledger.worker.queueVerified(await instance.ledgers.users.save([proves(owner, mail)]));
    const { claimConcurrency } = LIMITS.payments;
    await eventually(async () => expect(gate.waiting).toBe(claimConcurrency));
    let isStopped = false;
    const stopped = ledger.stop().then(() => (isStopped = true));
    await lab.pool.query('select');
    expect([gate.waiting, isStopped]).toEqual([claimConcurrency, false]);
    gate.open();
    await stopped;
    const { rows } = await lab.pool.query(`select from events where type = 'PaymentSettled'`);
    expect([rows.length, gate.waiting]).toEqual([claimConcurrency, claimConcurrency]);
    await ledger.projector.start();
  });
});
