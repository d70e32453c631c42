import { Metrics } from '@settle/observability';
import { beginBeforeUsAt, type DepositEvent, type WithdrawalEvent } from '@settle/payments-domain';
import { registerPaymentsMetrics } from '../../src/payments-metrics.js';
import type { LabInstance } from './ledger-lab.fixture.js';
import { FundingLab, NO_HOLD } from './open-charges.fixture.js';

describe('the metrics of money that waits', () => {
  let funding: FundingLab;
  let instance: LabInstance;
  beforeEach(async () => {
    funding = await FundingLab.open();
    instance = await funding.instance({ env: NO_HOLD });
  });
  afterEach(() => funding.lab.close());

  async function readMetrics(): Promise<Record<string, number>> {
    await funding.lab.caughtUp();
    const metrics = new Metrics();
    const { ledgers, pools } = instance;
    registerPaymentsMetrics(metrics, { ledgers, pools, publisher: undefined });
    const lines = (await metrics.text()).split('\n').filter((line) => line.startsWith('settle_'));
    return Object.fromEntries(lines.map((line) => [line.split(' ')[0] ?? '', Number(line.split(' ')[1])]));
  }

  it('given money that waits for each step, when the metrics are read, then each kind has its number, sum and age', async () => {
    const { payer, payee } = await funding.people();
    // An hour ago, by the clock of the metrics.
    funding.aheadMs = -3_600_000;
    const atUs = (Date.now() + funding.aheadMs) * 1_000;
    const facts = { userId: payer.card.id, sourceId: 'source-1', booking: null, atUs };
    const runner = instance.ledger.fundingUnits?.runner;
    const deposit = (id: string, amountCents: number) => {
      const data = { ...facts, amountCents, beginBeforeUs: beginBeforeUsAt(atUs) };
      const event: DepositEvent = { type: 'DepositRequested', data };
      return runner?.begin({ kind: 'deposit', id, event });
    };
    await deposit('d1', 500);
    const review: WithdrawalEvent = {
      type: 'WithdrawalRequested',
      data: { ...facts, amountCents: 500, needsReview: true },
    };
    await runner?.begin({ kind: 'withdrawal', id: 'w1', event: review });
    const opened = { ...facts, chargeKey: 'd1', paymentId: null, fundingId: 'd1', amountCents: 500 };
    await runner?.begin({ kind: 'reversal', id: 'r1', event: { type: 'ReversalOpened', data: opened } });
    funding.books.nextCharge = 'pending';
    await deposit('d2', 700);
    const { payer: other } = await funding.people();
    await instance.create(other, payee, { amountCents: 300 });
    const metrics = await readMetrics();
    const labels = (kind: string, step: string) => `{environment="live",kind="${kind}",waits_for="${step}"}`;
    for (const [kind, step, rows, cents] of [
      ['payment', 'provider', 1, 300],
      ['deposit', 'provider', 1, 700],
      ['deposit', 'finish', 0, 0],
      ['withdrawal', 'review', 1, 500],
      ['contradiction', 'review', 0, 0],
    ] as const) {
      expect(metrics[`settle_funding_pending${labels(kind, step)}`]).toBe(rows);
      expect(metrics[`settle_funding_pending_cents${labels(kind, step)}`]).toBe(cents);
      const ageSeconds = metrics[`settle_funding_pending_oldest_seconds${labels(kind, step)}`];
      expect(ageSeconds).toBeGreaterThanOrEqual(rows === 0 ? 0 : 3_500);
      expect(ageSeconds).toBeLessThan(rows === 0 ? 1 : 4_000);
    }
    expect(metrics['settle_money_below_zero_cents{environment="live"}']).toBe(-500);
  });
});
