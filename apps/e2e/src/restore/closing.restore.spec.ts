import { join } from 'node:path';
import { eventually, startTidyingKafka } from '@settle/testing';
import { runOperatorCommand } from '../operator.fixture.js';
import { findInTables } from '../personal-data.fixture.js';
import { signUp, verifyPhone } from '../sign-up.js';
import { Drill, loadDemoUsers, sumBalancesCents, type DemoUsers } from './drill.fixture.js';
import { KeptRecords } from './kept-records.fixture.js';

const DRILL_TIMEOUT_MS = 360_000;
const REMOVAL_WAIT_MS = 120_000;
const NOTE = 'The-Leaver-was-here';
const LAST_NAME = 'Vanderleave';

let drill: Drill;

/** A user pays, and leaves. Returns the texts that named the user. */
async function leave({ alice, bob }: DemoUsers): Promise<readonly string[]> {
  const leaver = await signUp({ last_name: LAST_NAME });
  const phone = await verifyPhone(leaver);
  await alice.send({ user_id: leaver.id }, '1.00');
  await leaver.send({ user_id: bob.id }, '1.00', { note: NOTE });
  const { code, complaint } = await runOperatorCommand('close', leaver.username);
  expect({ code, complaint }).toMatchObject({ code: 0 });
  return [leaver.username, leaver.email, phone, LAST_NAME, NOTE];
}

describe('a backup taken after an account was closed', () => {
  beforeAll(async () => {
    drill = await Drill.begin('embedded');
  }, DRILL_TIMEOUT_MS);
  afterAll(() => drill.end(), DRILL_TIMEOUT_MS);

  it(
    'given a closed account, when the backup is restored, then nothing in it names the user, its ledger is in order and the balances of everyone else are as before',
    async () => {
      const users = await loadDemoUsers();
      const cents = await sumBalancesCents(users);
      const gone = await leave(users);

      const backup = join(drill.folder, 'backup');
      await drill.mustRun('backup', '--to', backup);
      await drill.lose();
      expect(await drill.mustRun('restore', backup)).toMatch(/^read models: in order$/m);
      await drill.start();

      expect(await findInTables(drill.dataDir, gone)).toEqual([]);
      expect(await sumBalancesCents(users)).toBe(cents);
    },
    DRILL_TIMEOUT_MS,
  );
});

describe('the topics after an account was closed', () => {
  beforeAll(async () => {
    drill = await Drill.begin('stack');
  }, DRILL_TIMEOUT_MS);
  afterAll(() => drill.end(), DRILL_TIMEOUT_MS);

  it(
    'given records that have passed their time, when Kafka has removed and compacted them, then no record of any topic names the user',
    async () => {
      const gone = await leave(await loadDemoUsers());
      await drill.stop();
      const kafka = await startTidyingKafka(drill.dataDir);
      try {
        const records = new KeptRecords(kafka.brokers);
        // A broker that has just started leads no partition yet.
        await eventually(async () => expect(await records.find(gone)).not.toEqual([]));
        await records.shortenTimes();
        const isGone = async () => {
          await records.writeOn();
          expect(await records.find(gone)).toEqual([]);
        };
        await eventually(isGone, { timeoutMs: REMOVAL_WAIT_MS });
      } finally {
        await kafka.stop();
      }
    },
    DRILL_TIMEOUT_MS,
  );
});
