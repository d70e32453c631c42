import { Metrics } from '@settle/observability';
import { showPayments } from '../show-payments.js';
import { LedgerLab } from './ledger-lab.fixture.js';
import { anEmail, person } from './people.fixture.js';

describe('what the payments service shows of itself', () => {
  let lab: LedgerLab;
  beforeEach(async () => (lab = await LedgerLab.open()));
  afterEach(() => lab.close());

  async function shownBy(instance: Awaited<ReturnType<LedgerLab['instance']>>): Promise<Record<string, number>> {
    const metrics = new Metrics();
    showPayments(metrics, { ledger: instance.ledger, pool: lab.pool, publisher: undefined });
    const lines = (await metrics.text()).split('\n').filter((line) => line.startsWith('settle_'));
    return Object.fromEntries(lines.map((line) => [line.split(' ')[0] ?? '', Number(line.split(' ')[1])]));
  }

  it('given a held pay and a settled one, when the projecting instance is looked at, then money and work are there', async () => {
    const instance = await lab.instance({ env: { FEE_FIXED_CENTS: '10' } });
    const [payer, friend] = [person(), person()];
    await lab.know(payer, friend);
    await instance.fund(payer, 5_000);
    await instance.create(payer, anEmail(), { amountCents: 1_200 });
    const { position } = await newestOf(lab);
    await instance.create(payer, friend, { amountCents: 300 });
    await lab.caughtUp();
    const shown = await shownBy(instance);
    expect(shown).toMatchObject({
      settle_projection_active: 1,
      'settle_worker_open{act="expire"}': 1,
      'settle_worker_open{act="finish"}': 0,
      'settle_worker_rows_total{act="finish"}': 0,
      settle_money_held_cents: 1_210,
    });
    expect(shown['settle_projection_position']).toBeGreaterThan(position);
    expect(shown['settle_projection_behind_seconds']).toBeLessThan(30);
    expect(shown).not.toHaveProperty('settle_publishing_active');
  });

  it('given two instances, when both are looked at, then one projects, and it alone is asked what takes a query', async () => {
    const shown = [await shownBy(await lab.instance()), await shownBy(await lab.instance())];
    expect(shown.map((each) => each['settle_projection_active'])).toEqual([1, 0]);
    expect(shown.map((each) => 'settle_money_held_cents' in each)).toEqual([true, false]);
  });
});

async function newestOf(lab: LedgerLab): Promise<{ position: number }> {
  const { rows } = await lab.pool.query<{ position: number }>('select max(position)::int as position from events');
  return rows[0] ?? { position: 0 };
}
