import type { UserRecord } from '@settle/contracts';
import type { PoolClient } from 'pg';
import { LedgerLab, type LabInstance } from '../ledger-lab/ledger-lab.fixture.js';
import { anEmail, person } from '../ledger-lab/people.fixture.js';
import { auditReadModels, type AuditReport } from './audit-read-models.js';

describe('an audit of the read models', () => {
  let lab: LedgerLab;
  let instance: LabInstance;
  let reader: PoolClient;
  const crowd: UserRecord[] = [person(), person(), person()];

  beforeAll(async () => {
    lab = await LedgerLab.open();
    instance = await lab.instance({ env: { FEE_BPS: '100' } });
    await lab.know(...crowd);
    for (const who of crowd) await instance.fund(who, 100_000);
    await live(20);
    await lab.caughtUp();
    reader = await lab.pool.connect();
  });
  afterAll(async () => {
    reader.release();
    await lab.close();
  });

  /** Payments of several kinds, some of which end. */
  async function live(count: number): Promise<void> {
    for (let index = 0; index < count; index += 1) {
      const [actor, target] = [crowd[index % 3], crowd[(index + 1) % 3]];
      if (actor === undefined || target === undefined) throw new RangeError();
      const isCharge = index % 4 === 1;
      const isHeld = index % 4 === 2;
      const { payment } = await instance.create(actor, isHeld ? anEmail() : target, {
        action: isCharge ? 'charge' : 'pay',
      });
      if (isHeld && index % 8 === 2) await instance.act(actor, 'cancel', payment.id);
      if (isCharge && index % 8 === 1) await instance.act(target, 'approve', payment.id);
    }
  }

  /** What the audit finds after `damage`, which is undone. */
  async function auditAfter(damage?: string): Promise<AuditReport> {
    await reader.query('begin isolation level repeatable read');
    try {
      if (damage !== undefined) await reader.query(damage);
      return await auditReadModels({ store: instance.store, client: reader });
    } finally {
      await reader.query('rollback');
    }
  }

  it('given a ledger in order, when audited, then nothing differs and every cent is accounted for', async () => {
    const books = await lab.expectInOrder();
    const report = await auditAfter();
    expect(report).toMatchObject({ ...books, conserved: true, offences: [], differences: [], wallets: 3 });
    expect(report.payments).toBeGreaterThan(20);
    expect(report.feeCents).toBeGreaterThan(0);
  });

  it('given money that moves, when audited over and over, then each time all is as of one moment', async () => {
    let isLiving = true;
    const living = live(60).finally(() => (isLiving = false));
    while (isLiving) {
      expect(await auditAfter()).toMatchObject({ conserved: true, differences: [] });
    }
    await living;
  });

  it.each([
    [
      `update payments set status = 'failed', note = 'secret' where status = 'settled'`,
      'payments',
      'differs in status, note',
    ],
    [`delete from payments where status = 'pending'`, 'payments', 'missing'],
    [
      `update ledger_entries set balance_cents = balance_cents + 1 where revision = 2`,
      'ledger_entries',
      'differs in balance_cents',
    ],
    [`delete from ledger_entries where revision = 1`, 'ledger_entries', 'missing'],
    [
      `update ledger_entries set revision = revision + 100000 where revision = 3`,
      'ledger_entries',
      'not from an event',
    ],
    [`delete from fee_entries`, 'fee_entries', 'missing'],
    [`delete from open_work`, 'open_work', 'missing'],
    [
      `insert into open_work select payment_id, 'finish', 1, 1 from open_work limit 1`,
      'open_work',
      'not from an event',
    ],
    [`insert into fee_entries values (1, 'a', 'b', 1)`, 'fee_entries', 'not from an event'],
  ])('given %s, when audited, then it says so of %s: %s', async (damage, table, problem) => {
    const { differences, conserved } = await auditAfter(damage);
    expect(conserved).toBe(true);
    expect(differences).toContainEqual({ table, key: expect.any(String), problem });
    expect(new Set(differences.map((difference) => difference.table))).toEqual(new Set([table]));
    expect(JSON.stringify(differences)).not.toContain('secret');
  });

  it('given an event that is not what it was, when audited, then money is not conserved', async () => {
    const { rows } = await lab.pool.query<{ id: string; data: string }>(
      `select id, data from events where type = 'FundsDebited' order by position limit 1`,
    );
    const [event] = rows;
    if (event === undefined) throw new RangeError();
    const forged = JSON.stringify({ ...(JSON.parse(event.data) as object), amountCents: 1 });
    await lab.pool.query('update events set data = $2 where id = $1', [event.id, forged]);
    const { conserved, offences, differences } = await auditAfter();
    await lab.pool.query('update events set data = $2 where id = $1', [event.id, event.data]);
    expect([conserved, differences.length]).toEqual([false, 1]);
    expect(offences).toEqual([
      expect.stringMatching(/^wallet \d+, revision/),
      expect.stringMatching(/^payment \d+: has ended/),
    ]);
  });
});
