import { CLOSE_STEPS, readCloseCommand } from './close-command.js';

const ID = '1852942301724180481';

describe('the arguments of a step of closing an account', () => {
  it.each(CLOSE_STEPS)('given the step $step, when it is read, then operator and reason belong to it', ({ step }) => {
    expect(readCloseCommand(['close', step, ID, '--operator', 'jo', '--reason=asked by letter'])).toEqual({
      ...{ step, userId: ID, operator: 'jo', reason: 'asked by letter' },
    });
  });

  it.each([
    [['close', 'all', ID], '"all'],
    [['close', 'check', 'alice'], '"alice" is not the id of a user'],
    [['close', 'check', ID, 'more'], 'more" is not understood'],
    [['close', 'check', ID, '--operator=j@o'], 'The operator must be one name'],
    [['close', 'check', ID, '--reason='], 'The reason must be one line'],
    [['close', 'check', ID, '--force'], "Unknown option '--force'"],
  ])('given %j, when it is read, then the error names the problem', (args, problem) => {
    expect(() => readCloseCommand(args)).toThrow(problem);
  });
});
