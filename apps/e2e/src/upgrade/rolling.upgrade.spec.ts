import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DATABASE_SERVICES, SERVICE_NAMES } from '@settle/contracts';
import { eventually } from '@settle/testing';
import { buildEarlierVersion } from '../../earlier-version.mjs';
import { computeFigures, formatTableHead, formatTableRow } from '../faults/figures.fixture.js';
import { PaymentsReader } from '../faults/payments-reader.fixture.js';
import { PacedLoad, type SentPayment } from '../paced-load.fixture.js';
import { signUp, type SignedUpUser } from '../sign-up.js';
import { loadDemoUser } from '../users.js';
import { RollingServices } from './rolling-services.fixture.js';
import { useEveryService } from './use-every-service.fixture.js';

const PER_SECOND = 20;
const WALLETS = 6;
const FUNDS = '50.00';
const [STEADY_MS, QUICK_MS, STEADY_WAIT_MS] = [3_000, 2_000, 120_000];
/** How long payments may be answered with 503 or 504 when something changes. */
const DISTURBED_AT_MOST_MS = 20_000;
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

/** Changes something while payments are made and returns those that were not acknowledged. */
async function underPayments(change: () => Promise<unknown>): Promise<readonly SentPayment[]> {
  const first = load.ended.length;
  await change();
  await load.waitUntilSteady(STEADY_MS, QUICK_MS, STEADY_WAIT_MS);
  return load.ended.slice(first).filter(({ outcome }) => outcome.kind !== 'acknowledged');
}

function expectShortDisturbance(failed: readonly SentPayment[]): void {
  const firstAtMs = Math.min(...failed.map(({ sentAtMs }) => sentAtMs));
  expect(failed.filter(({ endedAtMs }) => endedAtMs > firstAtMs + DISTURBED_AT_MOST_MS)).toEqual([]);
  expect(failed.filter(({ outcome }) => outcome.kind === 'wrong')).toEqual([]);
}

describe('a rolling upgrade from the version before this one, and back', () => {
  it(
    'given the earlier version, when the migrations of this one run, then every earlier column is there and payments go on',
    async () => {
      const before = await Promise.all(DATABASE_SERVICES.map((app) => services.columns(app)));
      expectShortDisturbance(await underPayments(() => services.migrate(now)));
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
      expectShortDisturbance(await underPayments(() => services.replace(app, root())));
      await useEveryService(users[0]!);
    },
    STEP_TIMEOUT_MS,
  );

  it(
    'given all these payments, when they are read, then each acknowledged one exists once, and the ledger verifies in both versions',
    async () => {
      const sent = await load.stop();
      const payments = new PaymentsReader(services.url);
      const tookEffect = await payments.findThoseThatHappened(sent, sinceMs);
      const byNote = await payments.byNote(users, sinceMs);
      const figures = computeFigures({ fault: 'rolling upgrade', sent, struckAtMs: [], tookEffect, byNote });
      process.stdout.write(`\n${formatTableHead()}\n${formatTableRow(figures)}\n`);
      expect(figures).toMatchObject({ lost: 0, doubled: 0, doubledAfter: [], wrong: [] });
      for (const root of [earlier, now])
        await eventually(async () => expect(await services.verifyLedger(root)).toMatch(/^topic: in order$/m), {
          timeoutMs: VERIFY_WAIT_MS,
        });
    },
    STEP_TIMEOUT_MS,
  );
});
