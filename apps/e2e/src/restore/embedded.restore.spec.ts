import { mkdir, open, readFile, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { call } from '../client.js';
import { runUserCommand } from '../operator.fixture.js';
import {
  Drill,
  IN_FLIGHT_BESIDE_BACKUP,
  loadDemoUsers,
  isPaymentVisible,
  payUntil,
  sumBalancesCents,
} from './drill.fixture.js';

/** `DRILL_PAYMENTS` shortens the drill on a machine under other load. */
const PAYMENTS_AFTER = Number(process.env.DRILL_PAYMENTS ?? 5_000);
const DRILL_TIMEOUT_MS = 360_000;

let drill: Drill;

beforeAll(async () => {
  drill = await Drill.begin('embedded');
}, DRILL_TIMEOUT_MS);
afterAll(() => drill.end(), DRILL_TIMEOUT_MS);

describe('a backup of one process, its loss and its restore', () => {
  const backup = () => join(drill.folder, 'backup');

  it(
    'given a backup taken under load and 5,000 later payments, when the data folder is lost and restored, then every cent of the backup is there and freezing works',
    async () => {
      const users = await loadDemoUsers();
      const { alice, bob, carol } = users;
      const cents = await sumBalancesCents(users);
      const [first = ''] = await payUntil(users, (begun) => begun >= 100);
      let isTaken = false;
      const paying = payUntil(users, () => isTaken, IN_FLIGHT_BESIDE_BACKUP);
      const taken = await drill.mustRun('backup', '--to', backup());
      isTaken = true;
      await paying;
      expect(taken).toContain(`to ${backup()}`);
      expect((await stat(backup())).mode & 0o777).toBe(0o700);
      expect((await stat(join(backup(), 'secrets.json'))).mode & 0o777).toBe(0o600);
      const after = await payUntil(users, (begun) => begun >= PAYMENTS_AFTER);
      await drill.lose();

      const restored = await drill.mustRun('restore', backup());
      expect(restored).toMatch(/^Raised the epoch of users' records to \d+, that of public payment events to \d+$/m);
      expect(restored).toMatch(/^wallets: in order$/m);
      await drill.start();

      expect(await drill.verify()).toMatch(/^read models: in order$/m);
      expect(await sumBalancesCents(users)).toBe(cents);
      expect(await isPaymentVisible(users, first)).toBe(true);
      const [last = ''] = after.slice(-1);
      expect(await isPaymentVisible(users, last)).toBe(false);
      expect((await alice.send({ user_id: bob.id }, '0.01')).body.data.payment.status).toBe('settled');
      await runUserCommand('carol --frozen');
      const refused = await carol.send({ user_id: bob.id }, '0.01');
      expect([refused.status, refused.body.error.code]).toEqual([403, 'account_frozen']);
      await runUserCommand('carol --no-frozen');
    },
    DRILL_TIMEOUT_MS,
  );

  it(
    'given a folder that is in use or holds databases, when a backup is restored into it, then it is rejected and nothing changes',
    async () => {
      const busy = await drill.run('restore', [backup()]);
      expect([busy.code, busy.complaint]).toEqual([
        1,
        expect.stringContaining('Settle already runs on this data folder'),
      ]);
      await drill.lose('nothing');
      const held = await drill.run('restore', [backup()]);
      expect([held.code, held.complaint]).toEqual([
        1,
        expect.stringContaining('holds databases already: move that folder'),
      ]);
      await drill.start();
      expect((await loadDemoUsers()).alice.id).not.toBe('');
    },
    DRILL_TIMEOUT_MS,
  );

  it(
    'given a product that does not run, when a backup is taken and restored with --end-sessions, then it is complete and earlier tokens are rejected',
    async () => {
      const { token } = (await loadDemoUsers()).alice;
      await drill.lose('nothing');
      const folder = join(drill.folder, 'cold');
      await drill.mustRun('backup', '--to', folder);
      await rm(drill.dataDir, { recursive: true });
      const restored = await drill.mustRun('restore', folder, '--end-sessions');
      expect(restored).toMatch(/^Ended all sessions and grants, [1-9]\d* tokens$/m);
      await drill.start();
      // The token is older than the backup.
      expect((await call('/me', { token })).status).toBe(401);
      expect((await loadDemoUsers()).alice.id).not.toBe('');
    },
    DRILL_TIMEOUT_MS,
  );

  it(
    'given a backup with one changed byte, when it is restored, then the file is named and no data folder is made',
    async () => {
      await drill.lose();
      const table = join(backup(), 'postgres/global/pg_control');
      const bytes = await readFile(table);
      const file = await open(table, 'r+');
      await file.write(Buffer.from([(bytes[100] ?? 0) ^ 1]), 0, 1, 100);
      await file.close();
      const damaged = await drill.run('restore', [backup()]);
      expect([damaged.code, damaged.complaint]).toEqual([
        1,
        expect.stringContaining('postgres/global/pg_control is not what its manifest says'),
      ]);
      expect(await readdir(drill.dataDir)).toEqual([]);
    },
    DRILL_TIMEOUT_MS,
  );

  it(
    'given a restore that was killed, when Settle is started, then it creates no empty databases beside it',
    async () => {
      await mkdir(join(drill.dataDir, 'restoring'), { recursive: true });
      await writeFile(join(drill.dataDir, 'restoring', 'secrets.json'), '{}');
      await expect(drill.start()).rejects.toThrow('A restore did not come to its end');
      expect(await readdir(drill.dataDir)).toEqual(['restoring']);
    },
    DRILL_TIMEOUT_MS,
  );
});
