import fc from 'fast-check';
import { RULES } from './rules.fixture.js';
import { walk } from './walk.fixture.js';

/** `FUNDING_RUNS=1000000 npm test -- funding-walk` runs longer; a failure prints the seed that reproduces it. */
const RUNS = Number(process.env['FUNDING_RUNS'] ?? 1_000);
const TIMEOUT_MS = 60_000 + RUNS * 5;

/** The outcomes that the worlds must have reached, or the walks miss their purpose. */
const OUTCOMES = [
  ...['charge approved', 'charge approved, repaid', 'charge approved, reversed', 'charge declined', 'charge cancelled'],
  ...['WithdrawalPaid', 'WithdrawalFailed', 'WithdrawalCancelled', 'WithdrawalReturned'],
  ...['deposit settled', 'deposit failed', 'late money'],
  ...['transfer settled, charged', 'transfer cancelled, charged', 'transfer cancelled', 'transfer failed'],
  ...['hold settled, charged', 'hold cancelled, charged', 'hold expired', 'hold failed'],
  ...['request settled, charged', 'request cancelled, charged', 'request pending'],
  ...['trusted settled, charged', 'trusted pending'],
];

describe('money from a provider', () => {
  it(
    'given instances that race, read stale data and crash, when the provider has answered everything, then its books equal ours',
    () => {
      const outcomes = new Set<string>();
      const walked = fc.property(fc.noShrink(fc.nat()), (seed) => {
        for (const outcome of walk(seed, RULES).outcomes) outcomes.add(outcome);
      });
      fc.assert(walked, { numRuns: RUNS });
      if (RUNS >= 10_000) expect([...outcomes]).toEqual(expect.arrayContaining(OUTCOMES));
    },
    TIMEOUT_MS,
  );
});
