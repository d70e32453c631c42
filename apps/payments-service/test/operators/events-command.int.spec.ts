import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TOPICS, type PublicLedgerEntry, type PublicPaymentEvent, type UserRecord } from '@settle/contracts';
import { schemaErrorsOf } from '@settle/testing';
import { LedgerLab, type LabInstance } from '../ledger-lab/ledger-lab.fixture.js';
import { anEmail, person } from '../ledger-lab/people.fixture.js';
import { runCommandProcess } from './command-process.fixture.js';

interface Line<Data> {
  readonly topic: string;
  readonly key: string;
  readonly position: number;
  readonly time: string;
  readonly type: string;
  readonly data: Data;
}

describe('the events command as a process', () => {
  let lab: LedgerLab;
  let instance: LabInstance;
  const [ann, bob]: readonly UserRecord[] = [person(), person()];

  beforeAll(async () => {
    lab = await LedgerLab.open();
    instance = await lab.instance({ env: { FEE_BPS: '200' } });
    await lab.know(ann!, bob!);
    await instance.fund(ann!, 100_000);
    for (let round = 0; round < 5; round += 1) {
      await instance.create(ann!, bob!);
      await instance.create(ann!, anEmail());
    }
  });
  afterAll(() => lab.close());

  async function exported<Data>(topic: string, ...more: readonly string[]): Promise<readonly Line<Data>[]> {
    const ended = await run('export', '--topic', topic, ...more);
    expect([ended.stderr, ended.code]).toEqual(['', 0]);
    return linesOf(ended.stdout);
  }
  const linesOf = <Data>(text: string) =>
    text
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as Line<Data>);
  const positionsOf = (lines: readonly Line<unknown>[]) => lines.map(({ position }) => position);

  it('given a ledger that is served, when its entries are exported, then the lines add up to the balances', async () => {
    const lines = await exported<PublicLedgerEntry>(TOPICS.ledgerEntries, '--from', '0');
    const balances = new Map<string, number>();
    for (const { topic, key, position, time, type, data } of lines) {
      expect(topic).toBe(TOPICS.ledgerEntries);
      expect(key).toMatch(/^(?:wallet|payment):/);
      expect([position, time, type]).toEqual([data.position, data.occurredAt, data.type]);
      expect(schemaErrorsOf(data)).toEqual([]);
      balances.set(data.debitAccount, (balances.get(data.debitAccount) ?? 0) - data.amountCents);
      balances.set(data.creditAccount, (balances.get(data.creditAccount) ?? 0) + data.amountCents);
    }
    expect(positionsOf(lines)).toEqual(positionsOf(lines).toSorted((one, other) => one - other));
    for (const user of [ann!, bob!]) {
      expect(balances.get(`wallet:${user.card.id}`)).toBe(await instance.balance(user));
    }
  });

  it('given payments, when their events are exported, then each has its line, and a later export continues', async () => {
    const lines = await exported<PublicPaymentEvent>(TOPICS.paymentsEvents);
    const { rows } = await lab.pool.query<{ id: string }>(
      `select id from events where stream like 'payment-%' order by position`,
    );
    expect(lines.map(({ data }) => data.eventId)).toEqual(rows.map(({ id }) => id));
    for (const { key, data } of lines) {
      expect(key).toBe(data.paymentId);
      expect(schemaErrorsOf(data)).toEqual([]);
    }
    const from = String(lines[3]!.position);
    expect(await exported(TOPICS.paymentsEvents, '--from', from)).toEqual(lines.slice(3));
    const end = String(lines.at(-1)!.position + 1);
    await instance.create(ann!, bob!);
    const added = await exported<PublicPaymentEvent>(TOPICS.paymentsEvents, '--from', end);
    expect(added.map(({ type }) => type)).toEqual(['PaymentCreated', 'PaymentSettled']);
  });

  it('given a ledger that is served, when the checks of its contracts run, then the entries lead to the balances', async () => {
    const checked = await run('check', '--topic', TOPICS.ledgerEntries);
    expect(checked).toMatchObject({
      code: 0,
      stderr: '',
      stdout: expect.stringMatching(/trial balance 0\nin order\n$/),
    });
    expect(checked.stdout).toContain('balances: 2 wallets');
    await lab.pool.query('update ledger_entries set balance_cents = balance_cents + 1');
    const altered = await run('check');
    await lab.pool.query('update ledger_entries set balance_cents = balance_cents - 1');
    expect(altered).toMatchObject({ code: 1, stdout: expect.stringMatching(/^2 differences, the first: balances: /m) });
  });

  it('given a file, when the command writes it, then it holds the same lines; without a topic, the usage', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'settle-events-'));
    try {
      const file = join(folder, 'entries.ndjson');
      expect(await exported(TOPICS.ledgerEntries, '--file', file)).toEqual([]);
      expect(linesOf(await readFile(file, 'utf8'))).toEqual(await exported(TOPICS.ledgerEntries));
    } finally {
      await rm(folder, { recursive: true });
    }
    const unknown = await run('export', '--topic', 'users.state.v1');
    expect(unknown).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('npm run events -- export') });
  });

  const run = (...args: readonly string[]) => runCommandProcess('events-command.js', args, { DATABASE_URL: lab.url });
});
