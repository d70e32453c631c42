import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { eventually } from '@settle/testing';
import { openSignedInBrowser } from '../developer.js';
import { MoneyPage } from '../money-page.fixture.js';
import { runPaymentsCommandWith } from '../payments-command.fixture.js';
import { PAGES_ORIGIN } from '../production.fixture.js';
import { ProviderUnderTest } from '../provider-under-test.fixture.js';
import { unknownEmail, type TestUser } from '../users.js';
import { Drill, loadDemoUsers, sumBalancesCents, type DemoUsers } from './drill.fixture.js';

/** A card that is approved and accepts repayments. */
const CARD = '4242 4242 4242 4242';
const DEMO_CENTS = 150_00;
const DRILL_TIMEOUT_MS = 360_000;
/** The list of changes is read every minute. */
const CHANGES_WAIT_MS = 120_000;
const ORPHAN = /contradiction unknown_key {2}(\S+)/g;
const REPAY = ['--reason', 'charged after the backup', '--confirm'];
const UNAVAILABLE = [503, 'service_unavailable'];

describe('a backup of one process that uses a payment provider, its loss and its restore', () => {
  // Its books outlive the loss.
  const provider = new ProviderUnderTest(PAGES_ORIGIN);
  let drill: Drill;
  let users: DemoUsers;
  let heldId: string;
  let orphans: readonly string[];
  const backup = () => join(drill.folder, 'backup');

  beforeAll(async () => {
    // Callbacks are lost: only the list of changes says what has happened.
    await provider.start('http://127.0.0.1:9');
    drill = await Drill.begin('embedded', { ...provider.env, FUNDING_PAGE_ORIGINS: PAGES_ORIGIN });
    users = await loadDemoUsers();
  }, DRILL_TIMEOUT_MS);
  afterAll(async () => {
    await drill.end();
    await provider.close();
  }, DRILL_TIMEOUT_MS);

  const funding = (...args: readonly string[]) => runPaymentsCommandWith(provider.env, 'funding', ...args);

  /** Pays from the source of alice, who has no balance. */
  const payFromSource = (amount: string) => users.alice.send({ user_id: users.bob.id }, amount);

  async function untilSettled(payer: TestUser, id: string): Promise<void> {
    await eventually(async () => expect((await payer.read(id)).body.data.status).toBe('settled'));
  }

  const statement = () => provider.statement(Date.now() - 3_600_000, Date.now());
  /** Returns all money that the provider holds for this product, in cents. */
  const providerCents = async () => Number((await statement()).split('\n')[0]?.split(',').at(-1));

  it(
    'given a charge and a deposit after the backup, when the data are restored and the provider hangs, then nothing that concerns it begins or ends, and balances pay',
    async () => {
      const { alice, bob, carol } = users;
      const money = new MoneyPage({ browser: await openSignedInBrowser('alice') }, provider);
      expect((await money.addCard(CARD)).html).toContain('Visa ending in 4242');
      expect((await alice.send({ user_id: bob.id }, '100.00')).body.data.payment.status).toBe('settled');
      const held = await alice.send({ email: unknownEmail() }, '20.00');
      heldId = held.body.data.payment.id;
      await eventually(async () => expect(await providerCents()).toBe(20_00));
      await drill.mustRun('backup', '--to', backup());
      const { body } = await payFromSource('7.00');
      await untilSettled(alice, body.data.payment.id);
      expect((await money.addMoney('9.00', '4242')).url.search).toBe('?done=deposit-settled');
      expect(await providerCents()).toBe(36_00);

      await drill.lose();
      expect(await drill.mustRun('restore', backup())).toMatch(/^funding: in order$/m);
      provider.hang();
      await drill.start();

      for (const refused of [await payFromSource('3.00'), await alice.act(heldId, 'cancel')]) {
        expect([refused.status, refused.body.error.code]).toEqual(UNAVAILABLE);
      }
      expect((await bob.send({ user_id: carol.id }, '1.00')).body.data.payment.status).toBe('settled');
    },
    DRILL_TIMEOUT_MS,
  );

  it(
    'given the restored product, when the provider answers again, then both charges are listed as orphans, and funding begins and ends',
    async () => {
      provider.resume();
      await eventually(
        async () => {
          orphans = [...(await funding('pending')).matchAll(ORPHAN)].map(([, key = '']) => key);
          expect(orphans).toHaveLength(2);
        },
        { timeoutMs: CHANGES_WAIT_MS },
      );
      await eventually(async () => expect((await users.alice.act(heldId, 'cancel')).status).toBe(200), {
        timeoutMs: CHANGES_WAIT_MS,
      });
      await eventually(async () => expect(await providerCents()).toBe(16_00));
      const { body } = await payFromSource('3.00');
      await untilSettled(users.alice, body.data.payment.id);
    },
    DRILL_TIMEOUT_MS,
  );

  it(
    'given the orphans, when an operator repays them, then nothing waits and both sides have the same money',
    async () => {
      for (const key of orphans) {
        const user = key.includes(':') ? [] : ['--user', 'alice'];
        for (let run = 1; run <= 2; run += 1) {
          expect(await funding('orphan', 'repay', key, ...user, ...REPAY)).toContain(`repayment ${key}:late`);
        }
      }
      await eventually(async () => expect(await funding('pending')).toMatch(/^Nothing waits$/m));
      expect(await providerCents()).toBe(3_00);
      expect(await sumBalancesCents(users)).toBe(DEMO_CENTS + 3_00);
      expect(await drill.verify()).toMatch(/^funding: in order$/m);
      const file = join(drill.folder, 'statement.csv');
      await writeFile(file, await statement());
      // The ledger never had the money of the orphans: each is missing with its repayment, together zero.
      const compared = await funding('reconcile', file).catch(({ message }: Error) => message);
      for (const line of ['missing here: 4', 'missing there: 0', 'other amount: 0', 'other state: 0']) {
        expect(compared.split('\n')).toContain(line);
      }
    },
    DRILL_TIMEOUT_MS,
  );
});
