import TestRunner from 'jest-runner';

/**
 * Runs the e2e specs one file after another: they all move the money of the same three people, and each says what
 * their balances are afterwards.
 */
export default class OneAtATime extends (TestRunner.default ?? TestRunner) {
  isSerial = true;
}
