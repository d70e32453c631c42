import { ENVIRONMENTS } from '@settle/contracts';
import { Metrics } from '@settle/observability';
import { registerPaymentsMetrics } from '../../src/payments-metrics.js';
import { LedgerLab } from './ledger-lab.fixture.js';
import { anEmail, createCommand, person } from './people.fixture.js';
import { sandboxShown } from './sandbox.fixture.js';

describe('what the payments service shows of itself', () => {
  let lab: LedgerLab;
  beforeEach(async () => (lab = await LedgerLab.open()));
  afterEach(() => lab.close());

  async function shownBy(instance: Awaited<ReturnType<LedgerLab['instance']>>): Promise<Record<string, number>> {
    const metrics = new Metrics();
    const { ledgers, pools } = instance;
    registerPaymentsMetrics(metrics, { ledgers, pools, publisher: undefined });
    const lines = (await metrics.text()).split('\n').filter((line) => line.startsWith('settle_'));
    return Object.fromEntries(lines.map((line) => [line.split(' ')[0] ?? '', Number(line.split(' ')[1])]));
  }

  it('given a held pay and a settled one, when the projecting instance is looked at, then money and work of each environment are there', async () => {
    const instance = await lab.instance({ env: { FEE_FIXED_CENTS: '10' }, hasSandbox: true });
    const [payer, friend] = [person(), person()];
    await lab.know(payer, friend);
    await instance.fund(payer, 5_000);
    await instance.create(payer, anEmail(), { amountCents: 1_200 });
    const { position } = await newestOf(lab);
    await instance.create(payer, friend, { amountCents: 300 });
    await instance.commands.create(createCommand(payer, anEmail(), { environment: 'sandbox', amountCents: 200 }));
    await lab.caughtUp();
    await sandboxShown(instance, lab);
    const shown = await shownBy(instance);
    expect(shown).toMatchObject({
      'settle_projection_active{environment="live"}': 1,
      'settle_projection_active{environment="sandbox"}': 1,
      'settle_worker_open{environment="live",act="expire"}': 1,
      'settle_worker_open{environment="live",act="finish"}': 0,
      'settle_worker_open{environment="sandbox",act="expire"}': 1,
      'settle_worker_rows_total{environment="live",act="finish"}': 0,
      'settle_money_held_cents{environment="live"}': 1_210,
      'settle_money_held_cents{environment="sandbox"}': 210,
    });
    for (const environment of ENVIRONMENTS) {
      expect(shown[`settle_projection_position{environment="${environment}"}`]).toBeGreaterThan(position);
      expect(shown[`settle_projection_behind_seconds{environment="${environment}"}`]).toBeLessThan(30);
    }
    expect(shown).not.toHaveProperty('settle_publishing_active');
  });

  it('given two instances, when both are looked at, then one projects, and it alone is asked what takes a query', async () => {
    const shown = [await shownBy(await lab.instance()), await shownBy(await lab.instance())];
    expect(shown.map((each) => each['settle_projection_active{environment="live"}'])).toEqual([1, 0]);
    expect(shown.map((each) => 'settle_money_held_cents{environment="live"}' in each)).toEqual([true, false]);
  });
});

async function newestOf(lab: LedgerLab): Promise<{ position: number }> {
  const { rows } = await lab.pool.query<{ position: number }>('select max(position)::int as position from events');
  return rows[0] ?? { position: 0 };
}
