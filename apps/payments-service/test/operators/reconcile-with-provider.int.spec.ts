import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readSettings } from '@settle/config';
import { beginBeforeUsAt } from '@settle/payments-domain';
import { eventually } from '@settle/testing';
import { reconcile } from '../../src/operators/reconcile/reconcile.js';
import { Clock } from '../../src/storage/clock.js';
import { LedgerLab } from '../ledger-lab/ledger-lab.fixture.js';
import { anEmail, person } from '../ledger-lab/people.fixture.js';
import { startReferenceProvider, type RunningReferenceProvider } from './reference-provider.fixture.js';

const DAY_US = 86_400_000_000;
const SOURCE = 'test-card-1';

describe('the reconciliation with the reference provider', () => {
  let lab: LedgerLab;
  let provider: RunningReferenceProvider;
  let folder: string;

  beforeAll(async () => {
    lab = await LedgerLab.open();
    provider = await startReferenceProvider();
    folder = await mkdtemp(join(tmpdir(), 'reconcile-'));
  });
  afterAll(async () => {
    await lab.close();
    await provider.close();
    await rm(folder, { recursive: true });
  });

  it('given charges, a repayment and a deposit at the provider, when its statement is compared, then both sides agree', async () => {
    const fromMs = Date.now() - 1;
    const gate = { isLive: () => false, mayBegin: () => true, mayEnd: () => true, whenChecked: Promise.resolve() };
    const instance = await lab.instance({
      provider: { provider: provider.client, gate, waitMs: 5_000, pendingUs: DAY_US },
    });
    const [payer, payee] = [person({ fundingSourceId: SOURCE }), person()];
    await lab.know(payer, payee);
    await instance.create(payer, payee, { amountCents: 300 });
    const held = (await instance.create(payer, anEmail(), { amountCents: 200 })).payment;
    await instance.act(payer, 'cancel', held.id);
    const atUs = Date.now() * 1_000;
    const facts = { userId: payer.card.id, amountCents: 700, sourceId: SOURCE, booking: null, atUs };
    await instance.ledger.fundingUnits?.runner.begin({
      ...{ kind: 'deposit', id: 'deposit-1' },
      event: { type: 'DepositRequested', data: { ...facts, beginBeforeUs: beginBeforeUsAt(atUs) } },
    });
    await lab.expectInOrder();

    const file = join(folder, 'statement.csv');
    await eventually(async () => {
      const statement = await provider.statement(fromMs, Date.now());
      expect(statement.trim().split('\n')).toHaveLength(5);
      await writeFile(file, statement);
    });
    const lines: string[] = [];
    const settings = { ...readSettings({ NODE_ENV: 'test' }), migrationsDatabaseUrl: lab.migrationsUrl };
    const place = { settings, store: instance.store, pool: lab.pool, clock: new Clock(), outcomeWaitMs: 0 };
    const code = await reconcile(
      { ...place, say: (line) => lines.push(line) },
      { type: 'reconcile', file, report: null },
    );
    expect([code, lines.at(-1)]).toEqual([0, 'Both sides agree']);
    expect(lines).toContain('charge: $12.00 here, $12.00 there');
    expect(lines).toContain('repayment: $2.00 here, $2.00 there');
  });
});
