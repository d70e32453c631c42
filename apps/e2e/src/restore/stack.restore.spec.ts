import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { eventually } from '@settle/testing';
import { runUserCommand } from '../operator.fixture.js';
import { Drill, loadDemoUsers, isPaymentVisible, payUntil, sumBalancesCents } from './drill.fixture.js';

/** `DRILL_PAYMENTS` shortens the drill on a machine under other load. */
const PAYMENTS_AFTER = Number(process.env.DRILL_PAYMENTS ?? 1_000);
const DRILL_TIMEOUT_MS = 480_000;
/** The topic is emptied and filled again from the first event. */
const REPUBLISHED_WAIT_MS = 60_000;

let drill: Drill;

beforeAll(async () => {
  drill = await Drill.begin('stack');
}, DRILL_TIMEOUT_MS);
afterAll(() => drill.end(), DRILL_TIMEOUT_MS);

describe('a backup of the distributed shape, its loss and its restore', () => {
  const backup = () => join(drill.folder, 'backup');

  it(
    'given a Kafka that kept events newer than the backup, when the databases alone are lost and restored, then the topic follows the restored ledger and freezing works',
    async () => {
      const users = await loadDemoUsers();
      const { alice, bob, carol } = users;
      const cents = await sumBalancesCents(users);
      const [first = ''] = await payUntil(users, (begun) => begun >= 100);
      await drill.mustRun('backup', '--to', backup());
      // The replica of payments-service gets versions of the user that the restored database does not have.
      for (const flag of ['--business', '--no-business', '--business', '--no-business'])
        await runUserCommand(`carol ${flag}`);
      const after = await payUntil(users, (begun) => begun >= PAYMENTS_AFTER);
      const [last = ''] = after.slice(-1);
      await drill.lose('postgres');
      expect(await readdir(drill.dataDir)).toContain('kafka');

      expect(await drill.mustRun('restore', backup())).toMatch(/^wallets: in order$/m);
      await drill.start();

      await eventually(async () => expect(await drill.verify()).toMatch(/^topic: in order$/m), {
        timeoutMs: REPUBLISHED_WAIT_MS,
      });
      expect(await sumBalancesCents(users)).toBe(cents);
      expect(await isPaymentVisible(users, first)).toBe(true);
      expect(await isPaymentVisible(users, last)).toBe(false);
      await runUserCommand('carol --frozen');
      const refused = await carol.send({ user_id: bob.id }, '0.01');
      expect([refused.status, refused.body.error.code]).toEqual([403, 'account_frozen']);
      await runUserCommand('carol --no-frozen');
      // Carol starts without money, and at the time of the backup she may have paid all that she received.
      expect((await alice.send({ user_id: carol.id }, '0.01')).body.data.payment.status).toBe('settled');
      expect((await carol.send({ user_id: bob.id }, '0.01')).body.data.payment.status).toBe('settled');
    },
    DRILL_TIMEOUT_MS,
  );

  it(
    'given the loss of the whole data folder including Kafka, when the backup is restored, then users and payments are published again',
    async () => {
      await drill.lose();
      await drill.mustRun('restore', backup());
      await drill.start();
      const { alice, bob } = await loadDemoUsers();
      expect((await alice.send({ user_id: bob.id }, '0.01')).body.data.payment.status).toBe('settled');
      await eventually(async () => expect(await drill.verify()).toMatch(/^topic: in order$/m), {
        timeoutMs: REPUBLISHED_WAIT_MS,
      });
    },
    DRILL_TIMEOUT_MS,
  );
});
