import { Violation } from '../transfer-model/audit.fixture.js';
import { FAULTS } from './planted-faults.fixture.js';
import { RULES } from './rules.fixture.js';
import { walk } from './walk.fixture.js';

const RUNS_PER_FAULT = 3_000;

/** Returns the seed of the first world that breaks a promise, and the promise; null if none does. */
function findViolation(name: keyof typeof FAULTS): { seed: number; violation: string } | null {
  const { rules, focus } = FAULTS[name] ?? { rules: {} };
  for (let seed = 1; seed <= RUNS_PER_FAULT; seed += 1) {
    try {
      walk(seed * 7919, { ...RULES, ...rules }, focus);
    } catch (error) {
      const { cause } = error as Error;
      if (cause instanceof Violation) return { seed, violation: cause.message };
      throw error;
    }
  }
  return null;
}

describe('the walk of money from a provider', () => {
  it.each(Object.keys(FAULTS))(
    'given the planted fault "%s", when worlds are walked, then one of them shows it',
    (name) => {
      const found = findViolation(name);
      expect(found?.violation).toEqual(expect.any(String));
    },
  );

  it.each(Object.keys(FAULTS))(
    'given the worlds of "%s", when they are walked without the fault, then all is well',
    (name) => {
      for (let seed = 1; seed <= 10; seed += 1) walk(seed * 7919, RULES, FAULTS[name]?.focus);
    },
  );
});
