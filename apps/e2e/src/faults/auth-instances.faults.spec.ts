import { PacedLoad } from '../paced-load.fixture.js';
import { waitUntilReady, StackUnderFaults } from './stack-under-faults.fixture.js';

const isLong = process.env['FAULTS'] === 'long';
/** The goal is for two cores without other load. */
const REFUSED_FOR_MS = isLong ? 3_000 : 10_000;
const PER_SECOND = 50;
const WALLETS = 60;
const STEADY_MS = 2_000;
const QUICK_MS = 1_000;
const START_TIMEOUT_MS = 180_000;
/** The default of services; the default of the stack is shorter. */
const ORDINARY_SESSION = { KAFKA_SESSION_TIMEOUT_MS: '6000' };

describe('two instances of auth-service', () => {
  let under: StackUnderFaults;

  beforeAll(async () => {
    under = await StackUnderFaults.start({ gateways: 1, payments: 1 }, WALLETS, ORDINARY_SESSION);
  }, START_TIMEOUT_MS);
  afterAll(() => under.close(), START_TIMEOUT_MS);

  it(
    'given tokens in use, when either instance is killed, then no payment is rejected for longer than the goal',
    async () => {
      const refusedForMs: number[] = [];
      for (const target of await under.instancesOf('auth')) {
        const load = new PacedLoad({
          url: under.stack.url,
          wallets: under.wallets,
          perSecond: PER_SECOND,
          name: `kill of ${target.name}`,
        });
        await load.waitUntilSteady(STEADY_MS, QUICK_MS, START_TIMEOUT_MS);
        process.kill(target.pid ?? 0, 'SIGKILL');
        await waitUntilReady(target);
        await load.waitUntilSteady(STEADY_MS, QUICK_MS, START_TIMEOUT_MS);
        const sent = await load.stop();
        const refused = sent.filter(({ outcome }) => outcome.kind !== 'acknowledged').map(({ endedAtMs }) => endedAtMs);
        refusedForMs.push(refused.length === 0 ? 0 : Math.max(...refused) - Math.min(...refused));
        process.stdout.write(`${target.name} killed: ${refused.length} of ${sent.length} refused, `);
        process.stdout.write(`for ${Math.round(refusedForMs.at(-1) ?? 0)} ms\n`);
      }
      expect(refusedForMs).toHaveLength(2);
      expect(Math.max(...refusedForMs)).toBeLessThanOrEqual(REFUSED_FOR_MS);
    },
    START_TIMEOUT_MS,
  );
});
