import fc from 'fast-check';
import { Violation } from './audit.fixture.js';
import { FAULTS } from './planted-faults.fixture.js';
import { APPROVALS, RULES, TWO_APPROVERS, type Deed, type Scenario } from './scenario.fixture.js';
import { walk } from './walk.fixture.js';

/** `DOMAIN_RUNS=1000000 npm test -- transfer-walk` runs longer; a failure prints the seed and path that reproduce it. */
const RUNS = Number(process.env['DOMAIN_RUNS'] ?? 60_000);
const RUNS_PER_FAULT = 30_000;
const TIMEOUT_MS = 60_000 + RUNS * 2;
const SLICES: readonly Pick<Scenario, 'action' | 'adapter'>[] = [
  { action: 'pay', adapter: 'whole' },
  { action: 'pay', adapter: 'prefix' },
  { action: 'pay', adapter: 'subset' },
  { action: 'charge', adapter: 'whole' },
  { action: 'charge', adapter: 'prefix' },
  { action: 'charge', adapter: 'subset' },
];

const AMOUNT_CENTS = 10;
const funds = fc.constantFrom(null, 1, AMOUNT_CENTS - 1, AMOUNT_CENTS, AMOUNT_CENTS + 1, 3 * AMOUNT_CENTS);
const sources = fc.constantFrom<Scenario['sources']['ann'][]>('none', 'none', 'approves', 'declines', 'varies');
const deed = fc.constantFrom<Deed[]>(
  { type: 'create' },
  { type: 'work' },
  { type: 'traffic' },
  { type: 'cancel' },
  { type: 'expire' },
  { type: 'approve', by: 'bob' },
  { type: 'approve', by: 'bob' },
  { type: 'approve', by: 'cyd' },
  { type: 'approve', by: 'ann' },
  { type: 'deny', by: 'bob' },
  { type: 'claim', by: 'bob' },
  { type: 'claim', by: 'cyd' },
  { type: 'claim', by: 'ann' },
);

const scenarios: fc.Arbitrary<Scenario> = fc.record({
  action: fc.constantFrom('pay', 'charge'),
  targetId: fc.constantFrom('bob', null),
  isTrusted: fc.boolean(),
  amountCents: fc.constant(AMOUNT_CENTS),
  feeCents: fc.constantFrom(0, 1),
  fundsCents: fc.record({ ann: funds, bob: funds, cyd: funds }),
  sources: fc.record({ ann: sources, bob: sources, cyd: sources }),
  repays: fc.constantFrom('always', 'never', 'varies'),
  adapter: fc.constantFrom('whole', 'prefix', 'subset'),
  unitLimit: fc.integer({ min: 1, max: 5 }),
  crashRate: fc.constantFrom(0, 0.02, 0.1),
  lossRate: fc.constantFrom(0, 0.3),
  journalPace: fc.constantFrom(0, 1, 5),
  othersRate: fc.constantFrom(0, 0, 0.5, 1),
  deeds: fc.array(deed, { minLength: 1, maxLength: 9 }).map((deeds): Deed[] => [{ type: 'create' }, ...deeds]),
  seed: fc.noShrink(fc.nat()),
});

const focuses = fc.constantFrom({}, {}, {}, {}, APPROVALS, TWO_APPROVERS);

const ENDINGS = [
  ...['transfer settled', 'transfer failed'],
  ...['hold pending', 'hold settled', 'hold failed', 'hold expired', 'hold cancelled'],
  ...['request pending', 'request settled', 'request expired', 'request cancelled'],
  ...['trusted pending', 'trusted settled', 'trusted expired', 'trusted cancelled'],
];

describe('the transfer', () => {
  const endings = new Set<string>();

  it.each(SLICES)(
    'given instances that race, read stale data and crash, when a $action ends ($adapter appends), then no cent is created or lost',
    (slice) => {
      fc.assert(
        fc.property(
          scenarios,
          focuses,
          (scenario, focus) => void endings.add(walk({ ...scenario, ...slice, ...focus }, RULES)),
        ),
        { numRuns: RUNS / SLICES.length },
      );
    },
    TIMEOUT_MS,
  );

  it('given all those transfers, when their endings are collected, then every possible ending is among them', () => {
    if (RUNS >= 10_000) expect([...endings]).toEqual(expect.arrayContaining(ENDINGS));
  });
});

describe('the walk', () => {
  it.each(Object.entries(FAULTS))(
    'given the planted fault "%s", when worlds are walked, then one of them shows it',
    (_name, { rules, focus }) => {
      const faulty = { ...RULES, ...rules };
      const property = fc.property(scenarios, (scenario) => void walk({ ...scenario, ...focus }, faulty));
      const { errorInstance } = fc.check(property, { numRuns: RUNS_PER_FAULT, endOnFailure: true });
      expect((errorInstance as Error | null)?.cause).toBeInstanceOf(Violation);
    },
  );
});
