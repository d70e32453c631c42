import { LIMITS } from '@settle/config';
import type { EventStore } from '@settle/event-store';
import { altered, holdingSums } from '../../test/ledger-lab/altered-store.fixture.js';
import { LedgerLab } from '../../test/ledger-lab/ledger-lab.fixture.js';
import { person } from '../../test/ledger-lab/people.fixture.js';

/** Counts how many streams are read at once. */
function counting(store: EventStore, reads: { now: number; most: number; all: number }): EventStore {
  return altered(store, {
    readStream: async (stream, options) => {
      reads.now += 1;
      reads.all += 1;
      reads.most = Math.max(reads.most, reads.now);
      return store.readStream(stream, options).finally(() => (reads.now -= 1));
    },
  });
}

describe('the projector', () => {
  let lab: LedgerLab;

  beforeEach(async () => {
    lab = await LedgerLab.open();
  });
  afterEach(async () => {
    await lab.expectInOrder();
    await lab.close();
  });

  it('given a batch that touches many earlier payments, when it is projected, then it reads some of them at once', async () => {
    const instance = await lab.instance();
    const [actor, target] = [person(), person()];
    await lab.know(actor, target);
    const charges = await Promise.all(
      Array.from({ length: 40 }, () => instance.create(actor, target, { action: 'charge' })),
    );
    await lab.caughtUp();
    await instance.ledger.projector.stop();
    await Promise.all(charges.map(({ payment }) => instance.act(target, 'deny', payment.id)));
    const reads = { now: 0, most: 0, all: 0 };
    const { wrapStore, release } = holdingSums();
    await lab.instance({ wrapStore: (store) => wrapStore(counting(store, reads)) });
    await lab.caughtUp();
    expect([reads.all, reads.most]).toEqual([40, LIMITS.payments.projectorReads]);
    release();
  });
});
