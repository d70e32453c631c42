import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { eventually } from '@settle/testing';
import { asOperator } from '../operator.fixture.js';
import { Drill, demoPeople, isThere, payUntil, sumCents } from './drill.fixture.js';

/** `DRILL_PAYMENTS` makes it shorter on a machine that others use too. */
const PAYMENTS_AFTER = Number(process.env.DRILL_PAYMENTS ?? 5_000);
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
    'given a Kafka that kept what came after the backup, when the databases alone are lost and restored, then the topic follows the restored ledger and freezing works',
    async () => {
      const people = await demoPeople();
      const { alice, bob, carol } = people;
      const cents = await sumCents(people);
      const [first = ''] = await payUntil(people, (begun) => begun >= 100);
      await drill.mustRun('backup', '--to', backup());
      // Versions of the user that the replica of payments-service has seen, and the restored database has not.
      for (const flag of ['--business', '--no-business', '--business', '--no-business'])
        await asOperator(`carol ${flag}`);
      const after = await payUntil(people, (begun) => begun >= PAYMENTS_AFTER);
      const [last = ''] = after.slice(-1);
      await drill.lose('postgres');
      expect(await readdir(drill.dataDir)).toContain('kafka');

      expect(await drill.mustRun('restore', backup())).toMatch(/^wallets: in order$/m);
      await drill.start();

      await eventually(async () => expect(await drill.verify()).toMatch(/^topic: in order$/m), {
        timeoutMs: REPUBLISHED_WAIT_MS,
      });
      expect(await sumCents(people)).toBe(cents);
      expect(await isThere(people, first)).toBe(true);
      expect(await isThere(people, last)).toBe(false);
      await asOperator('carol --frozen');
      const refused = await carol.send({ user_id: bob.id }, '0.01');
      expect([refused.status, refused.body.error.code]).toEqual([403, 'account_frozen']);
      await asOperator('carol --no-frozen');
      // Carol begins with nothing, and the backup may be of a moment at which she had paid all that came in.
      expect((await alice.send({ user_id: carol.id }, '0.01')).body.data.payment.status).toBe('settled');
      expect((await carol.send({ user_id: bob.id }, '0.01')).body.data.payment.status).toBe('settled');
    },
    DRILL_TIMEOUT_MS,
  );

  it(
    'given the loss of the whole data folder, Kafka included, when the backup is restored, then users and payments are announced and published anew',
    async () => {
      await drill.lose();
      await drill.mustRun('restore', backup());
      await drill.start();
      const { alice, bob } = await demoPeople();
      expect((await alice.send({ user_id: bob.id }, '0.01')).body.data.payment.status).toBe('settled');
      await eventually(async () => expect(await drill.verify()).toMatch(/^topic: in order$/m), {
        timeoutMs: REPUBLISHED_WAIT_MS,
      });
    },
    DRILL_TIMEOUT_MS,
  );
});
