import { LIMITS } from '@settle/config';
import { Metrics } from '@settle/observability';
import { eventually } from '@settle/testing';
import { LedgerLab, type LabInstance } from '../../test/ledger-lab/ledger-lab.fixture.js';
import { person } from '../../test/ledger-lab/people.fixture.js';
import { registerPaymentsMetrics } from '../payments-metrics.js';

const { readModelWaitMs } = LIMITS.payments;
const PAYMENTS = 10;

describe('a projector that cannot write', () => {
  let lab: LedgerLab;
  let all: readonly [projecting: LabInstance, other: LabInstance];
  const [one, other] = [person(), person()];

  beforeEach(async () => {
    lab = await LedgerLab.open();
    all = [await lab.instance(), await lab.instance()];
    await lab.know(one, other);
    await all[1].fund(one, 100_000);
  });
  afterEach(async () => {
    await lab.expectInOrder();
    await lab.close();
  });

  const behindMs = () => all.map(({ ledger }) => ledger.projector.progress().behindMs);

  it('given read models behind for over 2 s, when payments are made, then they are answered at once, and wait again once the projector moves', async () => {
    await lab.pool.query('alter table payments add constraint refused check (false) not valid');
    await Promise.all(all.map((instance) => instance.create(one, other)));
    await eventually(() => expect(Math.min(...behindMs())).toBeGreaterThan(readModelWaitMs));
    for (const instance of all) {
      const since = performance.now();
      for (let index = 0; index < PAYMENTS; index += 1) await instance.create(one, other, { amountCents: 1 });
      // Each would have waited for 2 s.
      expect(performance.now() - since).toBeLessThan((PAYMENTS * readModelWaitMs) / 2);
    }
    await lab.pool.query('alter table payments drop constraint refused');
    await eventually(() => expect(Math.max(...behindMs())).toBe(0));
    for (const instance of all) {
      const { payment } = await instance.create(one, other);
      for (const reader of all) expect((await reader.view(other, payment.id)).status).toBe('settled');
    }
  });

  async function behindSeconds({ ledgers, pools }: LabInstance): Promise<number> {
    const metrics = new Metrics();
    registerPaymentsMetrics(metrics, { ledgers, pools, publisher: undefined });
    const gauge = /^settle_projection_behind_seconds\{environment="live"\} (\S+)$/m;
    return Number(gauge.exec(await metrics.text())?.[1]);
  }

  it('given read models that cannot be written, when metrics are scraped, then settle_projection_behind_seconds is above 0, and 0 again once the projector moves', async () => {
    const [projecting] = all;
    await eventually(async () => expect(await behindSeconds(projecting)).toBe(0));
    await lab.pool.query('alter table payments add constraint refused check (false) not valid');
    await projecting.create(one, other);
    await eventually(async () => expect(await behindSeconds(projecting)).toBeGreaterThan(0));
    const before = await behindSeconds(projecting);
    await eventually(async () => expect(await behindSeconds(projecting)).toBeGreaterThan(before));
    await lab.pool.query('alter table payments drop constraint refused');
    await eventually(async () => expect(await behindSeconds(projecting)).toBe(0));
  });
});
