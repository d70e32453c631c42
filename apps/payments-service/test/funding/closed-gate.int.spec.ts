import type { PaymentView, UserRecord } from '@settle/contracts';
import { Metrics } from '@settle/observability';
import { eventually } from '@settle/testing';
import { registerPaymentsMetrics } from '../../src/payments-metrics.js';
import type { LabInstance } from '../ledger-lab/ledger-lab.fixture.js';
import { anEmail, pair } from '../ledger-lab/people.fixture.js';
import { ChangesLab } from './changes-lab.fixture.js';

describe('while funding must not begin or end', () => {
  let lab: ChangesLab;
  let payer: UserRecord;
  let payee: UserRecord;

  beforeEach(async () => {
    lab = await ChangesLab.open();
  });
  afterEach(async () => {
    await lab.funding.lab.expectInOrder();
    await lab.close();
  });

  async function start(): Promise<LabInstance> {
    const instance = await lab.funding.instance();
    ({ payer, payee } = await lab.funding.people());
    return instance;
  }

  /** A pay whose charge was approved after its answer. */
  async function payLater(instance: LabInstance): Promise<PaymentView> {
    lab.books.nextCharge = 'pending';
    const { payment } = await instance.create(payer, payee);
    lab.books.decide(`${payment.id}:${payer.card.id}:1`, 'approved');
    return payment;
  }

  it('given a payer with a balance, when the source would be needed, then it is service_unavailable and nothing is stored', async () => {
    const instance = await start();
    await lab.deposit(instance, payer, 'd1', 100);
    lab.funding.admitted.begin = false;
    expect((await instance.create(payer, payee)).payment.status).toBe('settled');
    const before = await lab.funding.walletEvents(payer);
    await expect(instance.create(payer, payee)).rejects.toMatchObject({ code: 'service_unavailable' });
    const { payment } = await instance.create(payee, payer, { action: 'charge' });
    await expect(instance.act(payer, 'approve', payment.id)).rejects.toMatchObject({ code: 'service_unavailable' });
    await lab.funding.lab.know(pair(payer, payee, { trusts: true }));
    await expect(instance.create(payee, payer, { action: 'charge' })).rejects.toMatchObject({
      code: 'service_unavailable',
    });
    expect(await lab.funding.walletEvents(payer)).toEqual(before);
    lab.funding.admitted.begin = true;
    expect((await instance.act(payer, 'approve', payment.id)).status).toBe('settled');
  });

  it('given a restored ledger, when a payment with an open charge or a repayment is cancelled, then it waits until changes are read', async () => {
    const instance = await start();
    const held = (await instance.create(payer, anEmail())).payment;
    const open = await payLater(instance);
    const free = (await instance.create(payee, payer, { action: 'charge' })).payment;
    lab.funding.admitted.end = false;
    for (const { id } of [held, open]) {
      await expect(instance.act(payer, 'cancel', id)).rejects.toMatchObject({ code: 'service_unavailable' });
    }
    expect((await instance.act(payee, 'cancel', free.id)).status).toBe('cancelled');
    await lab.read(instance);
    expect(await lab.statusOf(instance, payer, open)).toBe('settled');
    lab.funding.admitted.end = true;
    expect((await instance.act(payer, 'cancel', held.id)).status).toBe('cancelled');
  });

  it('given an epoch that a restore has raised, when an instance reads the list to its end, then it is known until the next restore', async () => {
    const instance = await start();
    const { pool } = lab.funding.lab;
    const isRead = async () =>
      (await pool.query('select read_epoch >= epoch as is from provider_changes, public_event_epoch')).rows;
    expect(await isRead()).toEqual([{ is: null }]);
    await lab.read(instance);
    expect(await isRead()).toEqual([{ is: true }]);
    await pool.query('update public_event_epoch set epoch = epoch + 1');
    expect(await isRead()).toEqual([{ is: false }]);
    await lab.read(instance);
    expect(await isRead()).toEqual([{ is: true }]);
  });

  it('given a cursor that is lost, when the list is read, then it is read from its beginning, and funding begins again', async () => {
    const instance = await start();
    const { pool } = lab.funding.lab;
    await lab.read(instance);
    const charge = await payLater(instance);
    await pool.query('delete from provider_changes');
    await lab.read(instance);
    expect(await lab.cursor()).toBe(String(lab.books.changes.length));
    expect(await lab.statusOf(instance, payer, charge)).toBe('settled');
    expect(
      (await pool.query('select read_epoch >= epoch as is from provider_changes, public_event_epoch')).rows,
    ).toEqual([{ is: true }]);
  });

  it('given an orphan and a stored callback, when the metrics of the instance are read, then both are counted, and the lag is there', async () => {
    const instance = await start();
    lab.books.add('charge', 'orphan', { state: 'approved', amountCents: 100 });
    await lab.read(instance);
    await lab.funding.lab.pool.query(
      `insert into provider_hints (id, kind, key, version, received_at) values ('h1', 'charge', 'orphan', 1, now())`,
    );
    await lab.contradictions();
    const metrics = new Metrics();
    const { ledgers, pools } = instance;
    registerPaymentsMetrics(metrics, { ledgers, pools, publisher: undefined });
    const text = await metrics.text();
    expect(text).toMatch(/^settle_funding_pending\{.*kind="contradiction".*\} 1$/m);
    expect(text).toContain('settle_provider_hints_unhandled 1\n');
    // Only the instance that reads the list knows how old it is.
    const lag = /^settle_provider_changes_behind_seconds \d/m;
    expect(text).not.toMatch(lag);
    lab.readers(instance).changes.start();
    await eventually(async () => expect(await metrics.text()).toMatch(lag));
  });
});
