import { join } from 'node:path';
import { EventStoreDbStandIn } from '@settle/testing';
import { Drill, loadDemoUsers, isPaymentVisible, payUntil, sumBalancesCents } from './drill.fixture.js';

const PAYMENTS_AFTER = 1_000;
const DRILL_TIMEOUT_MS = 360_000;

describe('a backup of the databases beside an EventStoreDB', () => {
  let standIn: EventStoreDbStandIn;
  let drill: Drill;
  let eventsBefore: number;
  const backup = () => join(drill.folder, 'backup');

  beforeAll(async () => {
    standIn = await EventStoreDbStandIn.start();
    drill = await Drill.begin('embedded', { EVENT_STORE: 'eventstoredb', EVENTSTORE_URL: standIn.url });
  }, DRILL_TIMEOUT_MS);
  afterAll(async () => {
    await drill.end();
    await standIn.stop();
  }, DRILL_TIMEOUT_MS);

  it(
    'given a copy of EventStoreDB that is newer than that of the databases, when both are lost and restored, then every cent of the copy is there',
    async () => {
      const users = await loadDemoUsers();
      eventsBefore = (await standIn.state()).events;
      await payUntil(users, (begun) => begun >= 50);
      expect(await drill.mustRun('backup', '--to', backup())).toContain(`to ${backup()}`);
      const [between = ''] = (await payUntil(users, (begun) => begun >= 50)).slice(-1);
      const { events } = await standIn.state();
      const cents = await sumBalancesCents(users);
      const [last = ''] = (await payUntil(users, (begun) => begun >= PAYMENTS_AFTER)).slice(-1);

      await drill.lose();
      await standIn.restoreTo(events);
      expect(await drill.mustRun('restore', backup())).toMatch(/^wallets: in order$/m);
      await drill.start();

      expect(await sumBalancesCents(users)).toBe(cents);
      expect(await isPaymentVisible(users, between)).toBe(true);
      expect(await isPaymentVisible(users, last)).toBe(false);
      expect((await users.alice.send({ user_id: users.bob.id }, '0.01')).status).toBe(200);
    },
    DRILL_TIMEOUT_MS,
  );

  it(
    'given a copy of EventStoreDB that is older than that of the databases, when the databases are restored, then the restore names the missing event and changes nothing',
    async () => {
      await drill.lose();
      await standIn.restoreTo(eventsBefore);
      const { code, complaint } = await drill.run('restore', [backup()]);
      expect(code).toBe(1);
      expect(complaint).toMatch(/EventStoreDB does not hold event \S+ at position \d+.*restore a copy taken later/);
      await standIn.restoreTo(0);
    },
    DRILL_TIMEOUT_MS,
  );
});
