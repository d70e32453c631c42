import { randomBytes } from 'node:crypto';
import type { UserRecord } from '@settle/contracts';
import { eventually, startPostgresForSpecs, stopPostgresOfSpecs } from '@settle/testing';
import { forEachConcurrent } from '@settle/concurrency';
import { LedgerLab, type LabInstance } from '../../test/ledger-lab/ledger-lab.fixture.js';
import { anEmail, person } from '../../test/ledger-lab/people.fixture.js';
import { startPaymentsProcess, type SpecProcess } from '../../test/public-events/payments-process.fixture.js';

/** `npm run test:faults` sets it. */
const isLong = process.env['FAULTS'] === 'long';
const DUE = isLong ? 10_000 : 1_000;
const PAYERS = 100;
const FUNDS_CENTS = 1_000_000;
const FEE_CENTS = 7;
const HELD_CENTS = 100 + FEE_CENTS;
const DAYS_AGO = 31;
const MS_PER_DAY = 86_400_000;
const LONGEST_WAIT_MS = isLong ? 300_000 : 60_000;

let lab: LedgerLab;
let payers: readonly UserRecord[];
const processes: SpecProcess[] = [];

beforeAll(async () => {
  await startPostgresForSpecs();
  lab = await LedgerLab.open();
  payers = Array.from({ length: PAYERS }, () => person());
});
afterAll(async () => {
  await Promise.all(processes.map((each) => each.kill()));
  await lab.close();
  await stopPostgresOfSpecs();
});

/** Creates pays to unused addresses, each with a fee; its instances have ended when this resolves. */
async function madeBefore(daysAgo: number, count: number): Promise<void> {
  const nowMs = () => Date.now() - daysAgo * MS_PER_DAY;
  const instance = await lab.instance({ env: { FEE_FIXED_CENTS: String(FEE_CENTS) }, nowMs });
  await lab.know(...payers);
  await forEachConcurrent(payers, PAYERS, (payer) => holdMany(instance, payer, count / PAYERS));
  await lab.caughtUp();
  await instance.stop();
}

async function holdMany(instance: LabInstance, payer: UserRecord, count: number): Promise<void> {
  await instance.fund(payer, FUNDS_CENTS);
  for (let made = 0; made < count; made += 1) {
    const { payment } = await instance.create(payer, anEmail());
    expect(payment.status).toBe('pending');
  }
}

/** Two instances of the built service that look for open work from the same moment on: neither has a head start. */
async function startTwoAtOnce(): Promise<void> {
  const gate = await lab.pool.connect();
  try {
    await gate.query('begin; lock table open_work in access exclusive mode');
    const env = {
      KAFKA_BROKERS: process.env['SETTLE_TEST_KAFKA'] ?? '',
      KAFKA_TOPIC_PREFIX: `spec-${randomBytes(6).toString('hex')}.`,
      KAFKA_SESSION_TIMEOUT_MS: '2000',
      DATABASE_URL: lab.url,
      DEMO: 'false',
    };
    processes.push(startPaymentsProcess(env), startPaymentsProcess(env));
    await Promise.all(processes.map((each) => each.says('"ready"')));
  } finally {
    await gate.query('commit');
    gate.release();
  }
}

async function countOf(query: string): Promise<number> {
  const { rows } = await lab.pool.query<{ count: number }>(`select count(*)::int as count from ${query}`);
  return rows[0]?.count ?? 0;
}

const expired = () => countOf(`events where type = 'PaymentExpired'`);

/** The metrics of a process. */
async function figuresOf({ lines }: SpecProcess) {
  const ready = lines.find((line) => line.includes('"ready"')) ?? '{}';
  const { healthPort } = JSON.parse(ready) as { healthPort: number };
  const page = await (await fetch(`http://127.0.0.1:${healthPort}/metrics`)).text();
  const valueOf = (name: string) =>
    Number(
      page
        .split('\n')
        .find((line) => line.startsWith(name))
        ?.split(' ')
        .at(-1),
    );
  return {
    takenUp: valueOf('settle_worker_rows_total{environment="live",act="expire"}'),
    conflicts: valueOf('settle_event_store_units_total{outcome="conflict"}'),
  };
}

describe('payments that fell due while the service was down', () => {
  // Shows act-27
  it(
    `given ${DUE}, when two instances start and one is killed half-way, then each expired and went back once`,
    async () => {
      await madeBefore(DAYS_AGO, DUE);
      await madeBefore(0, PAYERS);
      await startTwoAtOnce();
      const [victim, survivor] = processes as [SpecProcess, SpecProcess];
      const startedAtMs = performance.now();
      const halfWay = async () => {
        const count = await expired();
        expect(count).toBeGreaterThanOrEqual(DUE / 2);
        const figures = await figuresOf(victim);
        expect(figures.takenUp).toBeGreaterThan(0);
        return { expired: count, victim: figures };
      };
      const atTheKill = await eventually(halfWay, { timeoutMs: LONGEST_WAIT_MS });
      await victim.kill();
      const killedAtMs = performance.now();
      expect(await expired()).toBeLessThan(DUE);
      const isDone = async () => {
        expect(await countOf(`payments where status = 'expired'`)).toBe(DUE);
        expect(await countOf(`open_work where act = 'finish'`)).toBe(0);
      };
      await eventually(isDone, { timeoutMs: LONGEST_WAIT_MS });
      const seconds = (sinceMs: number) => Number(((performance.now() - sinceMs) / 1_000).toFixed(1));
      const took = { all: seconds(startedAtMs), afterTheKill: seconds(killedAtMs) };
      const figures = { took, atTheKill, survivor: await figuresOf(survivor) };
      if (isLong) process.stdout.write(`${DUE} expired: ${JSON.stringify(figures)}\n`);
      await lab.allCaughtUp();
      await survivor.kill();

      const books = await lab.expectInOrder();
      expect(await expired()).toBe(DUE);
      expect(await countOf(`events where type = 'FundsReturned'`)).toBe(DUE);
      expect(await countOf(`payments where mode = 'refund'`)).toBe(DUE);
      const answered = `payments p join payments r on r.id = p.refund_id and r.refund_of = p.id and r.status = 'settled'`;
      expect(await countOf(`${answered} and r.amount_cents = p.amount_cents where p.status = 'expired'`)).toBe(DUE);
      expect(await countOf(`payments where status = 'pending'`)).toBe(PAYERS);
      expect(books).toEqual({
        fundingCents: 2 * PAYERS * FUNDS_CENTS,
        walletCents: 2 * PAYERS * FUNDS_CENTS - PAYERS * HELD_CENTS,
        transitCents: PAYERS * HELD_CENTS,
        payoutCents: 0,
        feeCents: 0,
      });
    },
    2 * LONGEST_WAIT_MS + 240_000,
  );
});
