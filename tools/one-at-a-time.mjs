import TestRunner from 'jest-runner';

/** Runs the spec files of a project one after another, whatever the number of workers of the whole run. */
export default class OneAtATime extends (TestRunner.default ?? TestRunner) {
  constructor(globalConfig, context) {
    super({ ...globalConfig, maxWorkers: 1 }, context);
  }
}
