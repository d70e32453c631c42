import { copyFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Drill, loadDemoUsers, isPaymentVisible, payUntil, sumBalancesCents } from './drill.fixture.js';
import { OwnPostgres, findInstalledPostgres } from './own-postgres.fixture.js';

const PAYMENTS_AFTER = 1_000;
const DRILL_TIMEOUT_MS = 360_000;

const programs = findInstalledPostgres();
if (programs === null) {
  process.stdout.write('Left out: the drill on a PostgreSQL of the operator. None is installed (Debian: postgresql)\n');
}

describe.each(programs === null ? [] : [programs])('a backup of a PostgreSQL of the operator, %s', (folder) => {
  let server: OwnPostgres;
  let drill: Drill;

  beforeAll(async () => {
    server = await OwnPostgres.start(folder);
    drill = await Drill.begin('embedded', { DATABASE_URL: server.url });
  }, DRILL_TIMEOUT_MS);
  afterAll(async () => {
    await drill.end();
    await server.stop();
  }, DRILL_TIMEOUT_MS);

  it(
    'given a pg_basebackup on the PATH, when the data are lost and the printed commands are run, then every cent of the backup is there',
    async () => {
      const backup = join(drill.folder, 'backup');
      const users = await loadDemoUsers();
      const cents = await sumBalancesCents(users);
      await payUntil(users, (begun) => begun >= 100);
      expect(await drill.mustRun('backup', '--to', backup)).toContain('Copying the PostgreSQL at 127.0.0.1');
      const after = await payUntil(users, (begun) => begun >= PAYMENTS_AFTER);
      await drill.stop();

      const { code, complaint } = await drill.run('restore', [backup]);
      expect(code).toBe(1);
      expect(complaint).toContain(`cp -R '${backup}/postgres' <data>`);
      expect(complaint).toContain(`npm run restore -- --finish '${backup}'`);
      await server.replaceData(join(backup, 'postgres'));
      await copyFile(join(backup, 'secrets.json'), join(drill.dataDir, 'secrets.json'));
      expect(await drill.mustRun('restore', '--finish', backup)).toMatch(/^wallets: in order$/m);

      await drill.start();
      expect(await sumBalancesCents(users)).toBe(cents);
      const [last = ''] = after.slice(-1);
      expect(await isPaymentVisible(users, last)).toBe(false);
      expect((await users.alice.send({ user_id: users.bob.id }, '0.01')).status).toBe(200);
    },
    DRILL_TIMEOUT_MS,
  );

  it(
    'given no pg_basebackup, when a backup is taken, then the commands to run are printed without a password, and they work',
    async () => {
      const backup = join(drill.folder, 'by-hand');
      const { code, complaint } = await drill.run('backup', ['--to', backup], { PATH: '/nonexistent' });
      expect(code).toBe(1);
      expect(complaint).toContain('There is no pg_basebackup on the PATH');
      const [, args = ''] = /^ {2}pg_basebackup (.*)$/m.exec(complaint) ?? [];
      expect(complaint).not.toContain(':drill@');
      expect(await readdir(drill.folder)).not.toContain('by-hand');
      await server.baseBackup(args);
      expect(await drill.mustRun('backup', '--complete', backup)).toContain(`to ${backup}`);
      expect((await drill.run('restore', [backup])).complaint).toContain('Settle already runs');
    },
    DRILL_TIMEOUT_MS,
  );
});
