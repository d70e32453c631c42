import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DATABASE_SERVICES, SERVICE_NAMES } from '@settle/contracts';
import { eventually } from '@settle/testing';
import { buildEarlierVersion } from '../../earlier-version.mjs';
import { computeFigures, formatTableHead, formatTableRow } from '../faults/figures.fixture.js';
import { PaymentsReader } from '../faults/payments-reader.fixture.js';
import { PacedLoad } from '../paced-load.fixture.js';
import { signUp, type SignedUpUser } from '../sign-up.js';
import { loadDemoUser } from '../users.js';
import { RollingServices } from './rolling-services.fixture.js';
import { useEveryService } from './use-every-service.fixture.js';

const PER_SECOND = 20;
const WALLETS = 6;
const FUNDS = '50.00';
const [STEADY_MS, QUICK_MS, STEADY_WAIT_MS] = [3_000, 2_000, 120_000];
/** The longest time without an acknowledged payment, on a busy machine as well. */
const LONGEST_GAP_MS = 20_000;
const START_TIMEOUT_MS = 300_000;
const STEP_TIMEOUT_MS = 300_000;
const VERIFY_WAIT_MS = 60_000;

const now = join(import.meta.dirname, '..', '..', '..', '..');
let earlier: string;
let services: RollingServices;
let users: readonly SignedUpUser[];
let load: PacedLoad;
let sinceMs: number;

beforeAll(async () => {
  earlier = await mkdtemp(join(tmpdir(), 'settle-earlier-'));
  await buildEarlierVersion(earlier, SERVICE_NAMES);
  services = await RollingServices.start(earlier);
  process.env.BASE_URL = `${services.url}/v1`;
  const alice = await loadDemoUser('alice');
  users = await Promise.all(Array.from({ length: WALLETS }, () => signUp()));
  for (const { id } of users)
    await eventually(async () =>
      expect((await alice.send({ user_id: id }, FUNDS)).body.data.payment.status).toBe('settled'),
    );
  sinceMs = Date.now() - 1_000;
  load = new PacedLoad({ url: services.url, wallets: users, perSecond: PER_SECOND, name: 'upgrade' });
  await load.waitUntilSteady(STEADY_MS, QUICK_MS, STEADY_WAIT_MS);
}, START_TIMEOUT_MS);
afterAll(async () => {
  await load?.stop();
  await services?.end();
  await rm(earlier, { recursive: true, force: true });
}, START_TIMEOUT_MS);

/** Changes something while payments are made. Resolves once all of them are acknowledged again. */
async function underPayments(change: () => Promise<unknown>): Promise<void> {
  await change();
  await load.waitUntilSteady(STEADY_MS, QUICK_MS, STEADY_WAIT_MS);
}

describe('a rolling upgrade from the version before this one, and back', () => {
  it(
    'given the earlier version, when the migrations of this one run, then every earlier column is there and payments go on',
    async () => {
      const before = await Promise.all(DATABASE_SERVICES.map((app) => services.columns(app)));
      await underPayments(() => services.migrate(now));
      const after = await Promise.all(DATABASE_SERVICES.map((app) => services.columns(app)));
      expect(before.flat().filter((column) => !after.flat().includes(column))).toEqual([]);
      await useEveryService(users[0]!);
    },
    STEP_TIMEOUT_MS,
  );

  it.each([
    ...SERVICE_NAMES.map((app) => ({ app, version: 'this version', root: () => now })),
    ...SERVICE_NAMES.map((app) => ({ app, version: 'the earlier version', root: () => earlier })),
  ])(
    'given payments all the time, when $app is replaced by $version, then payments soon go on and every service understands the others',
    async ({ app, root }) => {
      await underPayments(() => services.replace(app, root()));
      await useEveryService(users[0]!);
    },
    STEP_TIMEOUT_MS,
  );

  it(
    'given all these payments, when they are read, then each acknowledged one exists once, and the ledger verifies',
    async () => {
      const sent = await load.stop();
      const payments = new PaymentsReader(services.url);
      const tookEffect = await payments.findThoseThatHappened(sent, sinceMs);
      const byNote = await payments.byNote(users, sinceMs);
      const figures = computeFigures({ fault: 'rolling upgrade', sent, struckAtMs: [], tookEffect, byNote });
      process.stdout.write(`\n${formatTableHead()}\n${formatTableRow(figures)}\n`);
      expect(figures).toMatchObject({ lost: 0, doubled: 0, doubledAfter: [], wrong: [] });
      expect(figures.longestGapMs).toBeLessThanOrEqual(LONGEST_GAP_MS);
      // The earlier version does not know the fields that this one adds to public events.
      await eventually(async () => expect(await services.verifyLedger(now)).toMatch(/^topic: in order$/m), {
        timeoutMs: VERIFY_WAIT_MS,
      });
    },
    STEP_TIMEOUT_MS,
  );
});
