import { readUserCommand } from './user-command.js';

const flagsOf = (line: string) => readUserCommand(`user alice ${line}`.trim().split(' ')).flags;

describe('the flags of the command for a user', () => {
  it.each([
    ['', {}],
    ['--frozen', { frozen: true }],
    ['--frozen-for-reading', { 'frozen-for-reading': true, frozen: true }],
    ['--no-frozen-for-reading', { 'frozen-for-reading': false }],
    ['--no-frozen', { frozen: false, 'frozen-for-reading': false }],
    ['--no-frozen --no-frozen-for-reading', { frozen: false, 'frozen-for-reading': false }],
    ['--frozen --no-frozen-for-reading', { frozen: true, 'frozen-for-reading': false }],
  ])(
    'given "%s", when read, then a freeze for reading freezes payments too, and an end of the freeze ends both',
    (line, flags) => {
      expect(flagsOf(line)).toEqual(flags);
    },
  );

  it('given a freeze for reading beside the end of the freeze, when read, then it is refused', () => {
    expect(() => flagsOf('--no-frozen --frozen-for-reading')).toThrow('leave one of the two out');
  });
});
