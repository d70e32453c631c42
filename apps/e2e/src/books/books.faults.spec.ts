import { TOPICS } from '@settle/contracts';
import { eventually } from '@settle/testing';
import { prepareDedicatedProduct } from '../dedicated-product.js';
import { makeFundedWallets } from '../funded-wallets.fixture.js';
import { runPaymentsCommand } from '../payments-command.fixture.js';
import { ProductClock } from '../product-clock.fixture.js';
import { selectProcesses, stackStatus, withDatabase } from '../running-stack.fixture.js';
import { buildTestUser, loadDemoUser, type TestUser } from '../users.js';
import { MixedPayments, leaveCharge, leaveHeld } from './mixed-payments.fixture.js';
import { OutsideMoney, expectProviderAtRest } from './outside-money.fixture.js';
import type { PublicBooks } from './public-books.fixture.js';
import { PublicTopicsReader, type LogEnds } from './public-topics-reader.fixture.js';
import { RecipeBalances } from './recipe-balances.fixture.js';

/** `npm run test:faults` sets it. */
const isLong = process.env['FAULTS'] === 'long';
const PAYMENTS = isLong ? 20_000 : 2_000;
/** How often the faults below strike one after another. */
const ROUNDS = isLong ? 3 : 1;
const WALLETS = 40;
/** Payments that expire, half of them with held money, unless one is refused. */
const EXPIRING = 80;
/** One more than a payment may stay pending. */
const EXPIRY_DAYS = 31;
const START_TIMEOUT_MS = 300_000;
const DRILL_TIMEOUT_MS = isLong ? 3_600_000 : 900_000;
const QUIET_WAIT_MS = 240_000;
const REFILLED_WAIT_MS = 240_000;
const ALL_MOVEMENTS = [
  ...['deposit', 'fee', 'funding_charge', 'payment_credit', 'payment_debit', 'payment_return', 'payout', 'repayment'],
  ...['repayment_return', 'reversal', 'reversal_return', 'withdrawal', 'withdrawal_return'],
];

describe('the books of a consumer of the public topics', () => {
  // Its first hour is a month ago.
  const clock = new ProductClock(-EXPIRY_DAYS);
  const product = prepareDedicatedProduct({
    ...clock.env,
    ...{ FEE_BPS: '100', FEE_FIXED_CENTS: '1', WITHDRAWAL_HOLD_HOURS: '0' },
  });
  const readers: PublicTopicsReader[] = [];
  let wallets: readonly TestUser[];
  let payments: MixedPayments;
  let live: PublicTopicsReader;
  let recipe: RecipeBalances | null;

  beforeAll(async () => {
    process.env.E2E_SHAPE = 'stack';
    await product.start();
    const { url } = await stackStatus();
    const made = await makeFundedWallets(process.env.E2E_DATA_DIR ?? '', url, WALLETS);
    wallets = made.map(({ id, token }) => buildTestUser({ id, token, email: '', phone: '' }));
    payments = new MixedPayments(wallets);
    live = await read();
    recipe = await RecipeBalances.begin();
  }, START_TIMEOUT_MS);
  afterAll(async () => {
    for (const reader of readers) await reader.stop();
    await recipe?.close();
    await product.close();
    clock.close();
    delete process.env.E2E_SHAPE;
  }, START_TIMEOUT_MS);

  const brokers = async () => (await stackStatus()).kafka.brokers;

  /** Reads the topics from the first record on. @param books as in the constructor of the reader */
  async function read(books?: PublicBooks): Promise<PublicTopicsReader> {
    const reader = new PublicTopicsReader(await brokers(), books);
    readers.push(reader);
    await reader.start();
    return reader;
  }

  const kill =
    (...names: readonly string[]) =>
    async () => {
      const processes = await selectProcesses(...names);
      await processes.kill();
      await processes.back();
    };

  async function rebuildReadModels(): Promise<void> {
    expect(await runPaymentsCommand('projections', 'rebuild', 'all')).toMatch(/^Switched at position/m);
  }

  async function refillTopics(): Promise<void> {
    const { epoch } = live.books;
    await runPaymentsCommand('ledger', 'republish');
    await kill('payments-1', 'payments-2', 'payments-3')();
    await eventually(() => expect(live.books.epoch).toBeGreaterThan(epoch), { timeoutMs: REFILLED_WAIT_MS });
  }

  const FAULTS = [kill('payments-1', 'gateway-1'), rebuildReadModels, refillTopics, kill('payments-2', 'gateway-2')];

  /** Strikes at equal parts of the load. */
  async function strike(firstPayment: number): Promise<void> {
    const faults = Array.from({ length: ROUNDS }, () => FAULTS).flat();
    for (const [index, fault] of faults.entries()) {
      await payments.whenBegun(firstPayment + ((index + 1) * PAYMENTS) / (faults.length + 1));
      await fault();
    }
  }

  /** Work that waits can give the provider something to do later, and the other way round. */
  async function expectNothingLeft(): Promise<void> {
    await expectProviderAtRest();
    expect(await runPaymentsCommand('funding', 'pending')).toMatch(/^Nothing waits$/m);
    await expectProviderAtRest();
  }

  /** Returns the position of the last event that each topic tells of. */
  async function logEnds(): Promise<LogEnds> {
    const { rows } = await withDatabase('payments', (client) =>
      client.query<{ payments: string; entries: string }>(`
        select max(position) filter (where stream like 'payment-%') as payments,
          max(position) filter (where stream ~ '^(payment|wallet|withdrawal)-') as entries from events`),
    );
    const [{ payments: ofPayments, entries } = { payments: NaN, entries: NaN }] = rows;
    return { [TOPICS.paymentsEvents]: Number(ofPayments), [TOPICS.ledgerEntries]: Number(entries) };
  }

  /** Compares the books of a reader with the API at one moment, once nothing is in progress. Returns where the log ends then. */
  function expectEqualBalances(reader: PublicTopicsReader, users: readonly TestUser[]): Promise<LogEnds> {
    return eventually(
      async () => {
        const ends = await logEnds();
        await reader.expectCompleteUpTo(ends);
        const balances = await Promise.all(users.map(async (user) => [user.id, await user.balanceCents()] as const));
        const { books } = reader;
        expect(books.walletOwners().filter((id) => !users.some((user) => user.id === id))).toEqual([]);
        expect(users.map(({ id }) => [id, books.balanceCents(`wallet:${id}`)])).toEqual(balances);
        expect(await logEnds()).toEqual(ends);
        return ends;
      },
      { timeoutMs: QUIET_WAIT_MS },
    );
  }

  it(
    `given ${PAYMENTS} mixed payments, kills and rebuilds, when the public topics are read live, late and twice, then each gives the balances of the API and the same tables`,
    async () => {
      await payments.run(EXPIRING, [leaveCharge, leaveHeld]);
      await clock.moveTo(0);
      const outside = await OutsideMoney.begin(wallets[0] as TestUser);
      await recipe?.read(await brokers());

      let isOver = false;
      const moving = outside.moveUntil(() => isOver);
      const paying = payments.run(PAYMENTS);
      await Promise.all([paying, strike(payments.begun)]).finally(() => (isOver = true));
      await moving;
      // After a kill no charge begins until the provider has answered.
      await eventually(() => outside.moveOnce(), { timeoutMs: QUIET_WAIT_MS });

      const demo = await Promise.all((['alice', 'bob', 'carol'] as const).map((name) => loadDemoUser(name)));
      const users = [...wallets, ...outside.users, ...demo];
      await eventually(() => expect(live.books.movements).toEqual(ALL_MOVEMENTS), { timeoutMs: QUIET_WAIT_MS });
      await eventually(expectNothingLeft, { timeoutMs: QUIET_WAIT_MS });
      const ends = await expectEqualBalances(live, users);
      const { books } = live;
      const tables = books.tables();
      expect(books.trialBalanceCents).toBe(0);
      expect(books.unfinishedPayments()).toEqual([]);
      expect(books.epoch).toBeGreaterThan(ROUNDS);
      expect(new Set(tables.payments.map(([, type]) => type)).size).toBe(5);

      const late = await read();
      expect(await expectEqualBalances(late, users)).toEqual(ends);
      expect(late.books.tables()).toEqual(tables);
      await live.stop();
      const again = await read(books);
      expect(await expectEqualBalances(again, users)).toEqual(ends);
      expect(again.books.tables()).toEqual(tables);
      if (recipe === null) process.stdout.write('Left out: the Python recipe, whose packages are not installed\n');
      else expect(await recipe.read(await brokers())).toEqual(tables.accounts);
      expect(readers.flatMap(({ promises }) => promises.broken())).toEqual([]);
      expect(await runPaymentsCommand('ledger', 'verify')).toMatch(/^topic: in order$/m);
      process.stdout.write(`${payments.begun} payments, ${tables.accounts.length} accounts, epoch ${books.epoch}\n`);
    },
    DRILL_TIMEOUT_MS,
  );
});
