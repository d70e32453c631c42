import { join } from 'node:path';
import { runOperatorCommand } from '../operator.fixture.js';
import { findInTables } from '../personal-data.fixture.js';
import { signUp, type SignedUpUser } from '../sign-up.js';
import { unknownPhone } from '../users.js';
import { Drill, loadDemoUsers, sumBalancesCents } from './drill.fixture.js';

const DRILL_TIMEOUT_MS = 360_000;
const NOTE = 'The-Leaver-was-here';
const LAST_NAME = 'Vanderleave';

let drill: Drill;

beforeAll(async () => {
  drill = await Drill.begin('embedded');
}, DRILL_TIMEOUT_MS);
afterAll(() => drill.end(), DRILL_TIMEOUT_MS);

describe('a backup taken after an account was closed', () => {
  it(
    'given a closed account, when the backup is restored, then nothing in it names the user, its ledger is in order and the balances of everyone else are as before',
    async () => {
      const users = await loadDemoUsers();
      const leaver: SignedUpUser = await signUp({ phone: unknownPhone(), last_name: LAST_NAME });
      await users.alice.send({ user_id: leaver.id }, '1.00');
      await leaver.send({ user_id: users.bob.id }, '1.00', { note: NOTE });
      const cents = await sumBalancesCents(users);
      const { code, complaint } = await runOperatorCommand('close', leaver.username);
      expect({ code, complaint }).toMatchObject({ code: 0 });

      const backup = join(drill.folder, 'backup');
      await drill.mustRun('backup', '--to', backup);
      await drill.lose();
      expect(await drill.mustRun('restore', backup)).toMatch(/^read models: in order$/m);
      await drill.start();

      const gone = [leaver.username, leaver.email, leaver.phone, LAST_NAME, NOTE];
      expect(await findInTables(drill.dataDir, gone)).toEqual([]);
      expect(await sumBalancesCents(users)).toBe(cents);
    },
    DRILL_TIMEOUT_MS,
  );
});
