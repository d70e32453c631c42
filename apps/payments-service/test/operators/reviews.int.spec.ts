import type { UserRecord } from '@settle/contracts';
import { createMessageSecret } from '@settle/provider-api';
import { beginBeforeUsAt, type DepositEvent, type WithdrawalEvent } from '@settle/payments-domain';
import { readSettings } from '@settle/config';
import { cancelCharge } from '../../src/operators/funding/cancel-charge.js';
import type { LabInstance } from '../ledger-lab/ledger-lab.fixture.js';
import { FundingLab, NO_HOLD } from '../ledger-lab/open-charges.fixture.js';
import { OperatorDesk } from './operator.fixture.js';

const PROVIDER = { FUNDING_PROVIDER_URL: 'http://127.0.0.1:9', FUNDING_PROVIDER_SECRET: createMessageSecret() };
const WORDS = ['--reason', 'known to us', '--operator', 'jo'];

describe('what waits, and what an operator decides about it', () => {
  let funding: FundingLab;
  let instance: LabInstance;
  let desk: OperatorDesk;
  let owner: UserRecord;

  beforeEach(async () => {
    funding = await FundingLab.open();
    instance = await funding.instance({ env: NO_HOLD });
    desk = new OperatorDesk(funding, instance);
    owner = (await funding.people()).payer;
  });
  afterEach(() => funding.lab.close());

  const nowUs = () => (Date.now() + funding.aheadMs) * 1_000;
  const units = () => {
    if (instance.ledger.fundingUnits === null) throw new Error('No provider is set');
    return instance.ledger.fundingUnits;
  };
  const facts = (amountCents: number) => ({ userId: owner.card.id, amountCents, sourceId: 'source-1', booking: null });

  async function deposit(id: string, amountCents = 500): Promise<void> {
    const atUs = nowUs();
    const data = { ...facts(amountCents), beginBeforeUs: beginBeforeUsAt(atUs), atUs };
    const event: DepositEvent = { type: 'DepositRequested', data };
    await units().runner.begin({ kind: 'deposit', id, event });
    await funding.lab.caughtUp();
  }

  async function withdraw(id: string, amountCents = 500): Promise<void> {
    const data = { ...facts(amountCents), needsReview: true, atUs: nowUs() };
    const event: WithdrawalEvent = { type: 'WithdrawalRequested', data };
    await units().runner.begin({ kind: 'withdrawal', id, event });
    await funding.lab.caughtUp();
  }

  async function finish(ms = 5_000): Promise<void> {
    await funding.lab.caughtUp();
    funding.aheadMs += ms;
    for (let round = 0; round < 8 && (await units().worker.runDue()) > 0; round += 1) await funding.lab.caughtUp();
  }

  async function statusOf(kind: string, id: string): Promise<string | undefined> {
    await funding.lab.caughtUp();
    const { rows } = await funding.lab.pool.query<{ status: string }>(
      'select status from funding where kind = $1 and id = $2',
      [kind, id],
    );
    return rows[0]?.status;
  }

  it('given a withdrawal that waits for an operator, when it is approved twice, then it is paid once', async () => {
    await deposit('d1');
    await withdraw('w1');
    const dry = await desk.run('withdrawal', 'approve', 'w1', ...WORDS);
    expect([dry.code, dry.said]).toEqual([0, expect.stringContaining('Nothing was stored')]);
    await finish();
    expect(await statusOf('withdrawal', 'w1')).toBe('requested');
    const approve = () => desk.run('withdrawal', 'approve', 'w1', ...WORDS, '--confirm');
    expect(await approve()).toMatchObject({ code: 0, error: null });
    expect((await approve()).said).toContain('approved already; nothing was stored');
    await finish();
    expect(await statusOf('withdrawal', 'w1')).toBe('paid');
    expect(funding.books.paidOutCents).toBe(500);
    expect((await desk.run('withdrawal', 'refuse', 'w1', ...WORDS, '--confirm')).error).toContain('too late to refuse');
    await funding.lab.expectInOrder();
  });

  it('given a restored database, when a withdrawal is decided before the changes of the provider are read, then one line says so and nothing is stored', async () => {
    await deposit('d1');
    await withdraw('w1');
    const settings = readSettings({ NODE_ENV: 'test', ...PROVIDER });
    const { migrationsUrl: migrationsDatabaseUrl } = funding.lab;
    const careful = new OperatorDesk(funding, instance, { settings: { ...settings, migrationsDatabaseUrl } });
    const decide = (action: string) => careful.run('withdrawal', action, 'w1', ...WORDS, '--confirm');
    for (const action of ['approve', 'refuse']) {
      expect((await decide(action)).error).toMatch(/^The provider's list of changes was not read to its end [^\n]*$/);
    }
    await finish();
    expect(await statusOf('withdrawal', 'w1')).toBe('requested');
    await funding.readChanges(instance);
    expect(await decide('refuse')).toMatchObject({ code: 0, error: null });
    await funding.lab.pool.query('update public_event_epoch set epoch = epoch + 1');
    expect((await decide('approve')).error).toContain('was not read to its end');
  });

  it('given two operators at once, when one approves and one refuses, then one decision counts', async () => {
    await deposit('d1');
    await withdraw('w1');
    const ended = await Promise.all(
      ['approve', 'refuse'].map((action) => desk.run('withdrawal', action, 'w1', ...WORDS, '--confirm')),
    );
    await finish();
    const status = await statusOf('withdrawal', 'w1');
    expect(['paid', 'cancelled']).toContain(status);
    expect(ended.filter(({ error }) => error === null).length).toBeGreaterThan(0);
    expect(funding.books.paidOutCents).toBe(status === 'paid' ? 500 : 0);
    await funding.lab.expectInOrder();
  });

  it('given a withdrawal that waits for an operator, when it is refused, then its money is balance again and the event has the reason', async () => {
    await deposit('d1');
    await withdraw('w1');
    expect(await desk.run('withdrawal', 'refuse', 'w1', ...WORDS, '--confirm')).toMatchObject({ code: 0, error: null });
    await finish();
    expect(await statusOf('withdrawal', 'w1')).toBe('cancelled');
    expect(await instance.balance(owner)).toBe(500);
    const { rows } = await funding.lab.pool.query<{ data: string }>(
      `select data::text as data from events where stream = 'withdrawal-w1' and type = 'WithdrawalCancelled'`,
    );
    expect(JSON.parse(rows[0]?.data ?? '{}')).toMatchObject({
      reason: 'refused_by_operator',
      decision: { operator: 'jo', reason: 'known to us', reference: '' },
    });
    await funding.lab.expectInOrder();
  });

  it('given no such withdrawal, when it is approved, then one line says so', async () => {
    expect((await desk.run('withdrawal', 'approve', 'w9', ...WORDS, '--confirm')).error).toBe(
      'There is no withdrawal w9',
    );
  });

  it('given a contradiction, when it is closed, then it waits no more, and closing it again stores nothing', async () => {
    funding.books.saidCents = 499;
    await deposit('d1');
    expect((await desk.run('pending')).said).toMatch(/waits for review: 1 contradiction/);
    const close = (...more: string[]) => desk.run('contradiction', 'close', 'd1', ...WORDS, ...more);
    expect((await close()).said).toMatch(/contradiction d1 \(other_amount\): close it.*Nothing was stored/s);
    expect((await close('--confirm')).said).toMatch(/contradiction d1: closed$/);
    await funding.lab.caughtUp();
    expect((await desk.run('pending')).said).not.toContain('contradiction');
    expect((await close('--confirm')).said).toContain('closed already');
    expect((await desk.run('contradiction', 'close', 'd9', ...WORDS)).error).toContain('There is no contradiction');
  });

  it('given money that waits for each step, when it is listed, then kind, key, user, amount and sums are there', async () => {
    expect((await desk.run('pending')).said).toBe('Nothing waits');
    await deposit('d1', 900);
    await withdraw('w1');
    funding.books.nextCharge = 'pending';
    await deposit('d2', 700);
    const { payer, payee } = await funding.people();
    const { id } = (await instance.create(payer, payee, { amountCents: 300 })).payment;
    await funding.lab.caughtUp();
    funding.aheadMs += 3_600_000 * 25;
    const { said } = await desk.run('pending');
    const [review, provider] = [
      `review +withdrawal +w1 +${owner.card.id} +\\$5\\.00 `,
      `provider +deposit +d2 +${owner.card.id} +\\$7\\.00 `,
    ];
    for (const row of [review, provider, `provider +payment +${id}:${payer.card.id}:1 +${payer.card.id} +\\$3\\.00 `]) {
      expect(said).toMatch(new RegExp(`^${row} +\\S+ +1 d$`, 'm'));
    }
    expect(said).toContain('waits for provider: 1 payment of $3.00 together, the oldest for 1 d');
    expect(said).toContain('waits for provider: 1 deposit of $7.00 together, the oldest for 1 d');
    expect(said).toContain('waits for review: 1 withdrawal of $5.00 together, the oldest for 1 d');
  });

  it('given a deposit and a payment that wait for an hour, when they are asked about, then they are due at once', async () => {
    funding.books.nextCharge = 'pending';
    await deposit('d1');
    const { payer, payee } = await funding.people();
    const { id } = (await instance.create(payer, payee, { amountCents: 300 })).payment;
    await finish(400_000);
    await instance.ledger.worker.runDueFunding();
    expect([await units().worker.runDue(), await instance.ledger.worker.runDueFunding()]).toEqual([0, 0]);
    const key = `${id}:${payer.card.id}:1`;
    expect((await desk.run('ask', 'd1')).said).toMatch(/^deposit d1: ask.*Nothing was stored/s);
    expect([await units().worker.runDue(), await instance.ledger.worker.runDueFunding()]).toEqual([0, 0]);
    for (const each of ['d1', key]) expect(await desk.run('ask', each, '--confirm')).toMatchObject({ code: 0 });
    for (const each of ['d1', key]) funding.books.decide(each, 'approved');
    expect([await units().worker.runDue(), await instance.ledger.worker.runDueFunding()]).toEqual([1, 1]);
    expect(await statusOf('deposit', 'd1')).toBe('settled');
    expect((await desk.run('ask', 'd1', '--confirm')).error).toContain('Nothing waits under the key d1');
  });

  it('given charges that are pending, when they are cancelled, then the provider decides and nothing is debited', async () => {
    funding.books.nextCharge = 'pending';
    await deposit('d1');
    const { payer, payee } = await funding.people();
    const { id } = (await instance.create(payer, payee, { amountCents: 300 })).payment;
    await funding.lab.caughtUp();
    const key = `${id}:${payer.card.id}:1`;
    expect((await desk.run('cancel', key)).said).toMatch(/^charge .* of \$3\.00 by the user .*Nothing was stored/s);
    const lines: string[] = [];
    const place = desk.place((line) => lines.push(line));
    const open = () => ({ provider: funding.books, close: () => Promise.resolve() });
    for (const each of ['d1', key]) await cancelCharge(place, { type: 'cancel', key: each, isConfirmed: true }, open);
    expect(lines).toContain(`charge ${key}: cancelled at the provider`);
    await finish(1_000);
    await instance.ledger.worker.runDueFunding();
    expect(await statusOf('deposit', 'd1')).toBe('failed');
    expect((await instance.view(payer, id)).status).toBe('failed');
    expect((await desk.run('cancel', key)).error).toContain('No charge waits under the key');
    await funding.lab.expectInOrder();
  });

  it('given no provider in the settings, when a charge is cancelled, then one line names the setting', async () => {
    funding.books.nextCharge = 'pending';
    await deposit('d1');
    expect((await desk.run('cancel', 'd1', '--confirm')).error).toMatch(/^FUNDING_PROVIDER_URL: [^\n]*$/);
  });
});
