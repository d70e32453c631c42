import { readAdminArguments } from './admin-arguments.js';

describe('the arguments of the admin command', () => {
  it.each([
    ['user alice', {}],
    ['user alice --frozen', { isFrozen: true }],
    ['user alice --no-frozen', { isFrozen: false }],
    ['user alice --frozen=false', { isFrozen: false }],
    ['user alice --frozen=true', { isFrozen: true }],
    ['--business user --no-verified alice --legacy-access', { isBusiness: true, verified: false, legacyAccess: true }],
    ['user alice --no-legacy-access', { legacyAccess: false }],
  ])('given "%s", when the arguments are parsed, then the change is returned', (line, change) => {
    expect(readAdminArguments(line.split(' '))).toEqual({ username: 'alice', operator: null, reason: null, change });
  });

  it('given the name of an operator, when the arguments are parsed, then the name is returned with the flags', () => {
    const read = (line: string) => readAdminArguments(line.split(' '));
    expect(read('user alice --frozen --operator=jo.doe --reason stolen')).toEqual({
      username: 'alice',
      operator: 'jo.doe',
      reason: 'stolen',
      change: { isFrozen: true },
    });
    for (const line of ['--operator=', '--operator=jo@x', '--operator=jo --operator=al']) {
      expect(() => read(`user alice ${line}`)).toThrow('The operator must be one name');
    }
    for (const line of ['--reason=', '--reason', '--reason=a\nb', '--reason=a --reason=b']) {
      expect(() => read(`user alice ${line}`)).toThrow('The reason must be one line');
    }
  });

  it.each([
    ['', 'Whom?'],
    ['user', 'Which user?'],
    ['app demo-app', '"app" is not understood'],
    ['user alice bob', '"bob" is not understood'],
    ['user alice --frozen false', '"false" is not understood'],
    ['user alice --frosen', '"--frosen" is no flag'],
    ['user alice -f', '"-f" is no flag'],
    ['user alice --', '"--" is no flag'],
    ['user alice --frozen=perhaps', '"--frozen=perhaps" is no flag'],
    ['user alice --toString', '"--toString" is no flag'],
    ['user alice --constructor', '"--constructor" is no flag'],
    ['user alice --no-frozen=false', '"--no-frozen=false" says it twice'],
    ['user alice --frozen --no-frozen', '"--no-frozen" is written beside another of the same flag'],
  ])('given "%s", when the arguments are parsed, then the error names the problem and the usage', (line, problem) => {
    const read = () => readAdminArguments(line.split(' ').filter((word) => word !== ''));
    expect(read).toThrow(problem);
    expect(read).toThrow('npm run admin -- user <username>');
  });
});
