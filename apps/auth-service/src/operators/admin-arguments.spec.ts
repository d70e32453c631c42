import { parseAdminArguments } from './admin-arguments.js';

const FLAGS = ['--owner', 'alice', '--name', 'Shop', '--redirect-url', 'https://shop.example/cb'];

describe('the arguments of the app command', () => {
  it('given an id, an owner, a name and a redirect URL, when parsed, then the other details have defaults', () => {
    expect(parseAdminArguments(['app', '1112', ...FLAGS], true)).toEqual({
      kind: 'app',
      operator: null,
      reason: null,
      app: {
        clientId: '1112',
        ownerUsername: 'alice',
        details: {
          name: 'Shop',
          description: 'Shop',
          siteUrl: 'https://shop.example/',
          redirectUrls: ['https://shop.example/cb'],
        },
      },
    });
  });

  it.each([
    [['app', ...FLAGS], 'The client_id is missing.'],
    [['app', 'demo', ...FLAGS], '"demo" is not a client_id'],
    [['app', '2147483648', ...FLAGS], '"2147483648" is not a client_id'],
    [['app', '1', '2', ...FLAGS], '"2" is not a valid argument'],
    [['app', '1', ...FLAGS.slice(2)], 'The owner is missing.'],
    [['app', '1', ...FLAGS.slice(0, 2), ...FLAGS.slice(4)], '--name: This field is required.'],
    [['app', '1', ...FLAGS.slice(0, 4)], 'The redirect URL is missing.'],
    [['app', '1', ...FLAGS, '--redirect-url', 'ftp://x'], '--redirect-url: Enter a URL'],
    [['app', '1', ...FLAGS, '--site-url', 'nowhere'], '--site-url: Enter a URL'],
    [['app', '1', ...FLAGS, '--secret', 'x'], "Unknown option '--secret'"],
  ])('given %j, when parsed, then the error names the problem and the usage', (args, problem) => {
    expect(() => parseAdminArguments(args, true)).toThrow(
      new RegExp(`${problem.replaceAll('?', '\\?')}[\\s\\S]*npm run admin -- app`),
    );
  });
});

describe('the arguments of the app and user commands', () => {
  const parse = (line: string) => parseAdminArguments(line.split(' '), true);

  it.each([
    ['suspend-app 1112', { kind: 'suspend-app', clientId: '1112', operator: null, reason: null }],
    ['resume-app demo-app --operator=jo', { kind: 'resume-app', clientId: 'demo-app', operator: 'jo', reason: null }],
    [
      'end-sessions alice --operator jo.doe --reason=stolen',
      { kind: 'end-sessions', username: 'alice', operator: 'jo.doe', reason: 'stolen' },
    ],
    ['audit --user alice --limit 5', { kind: 'audit', user: 'alice', before: null, limit: 5 }],
    ['user alice', { kind: 'user', username: 'alice', isFrozenForReading: null, operator: null, reason: null }],
    [
      'user alice --frozen',
      { kind: 'user', username: 'alice', isFrozenForReading: null, operator: null, reason: null },
    ],
    [
      'user alice --frozen-for-reading',
      { kind: 'user', username: 'alice', isFrozenForReading: true, operator: null, reason: null },
    ],
    [
      'user alice --no-frozen',
      { kind: 'user', username: 'alice', isFrozenForReading: false, operator: null, reason: null },
    ],
  ])('given "%s", when parsed, then it returns the command', (line, command) => {
    expect(parse(line)).toEqual(command);
  });

  it.each([
    ['suspend-app', 'The client_id is missing.', 'suspend-app'],
    ['suspend-app a b', '"b" is not a valid argument', 'suspend-app'],
    ['suspend-app a@b', '"a@b" is not a client_id', 'suspend-app'],
    ['resume-app 1 --name X', "Unknown option '--name'", 'resume-app'],
    ['end-sessions', 'The username is missing.', 'end-sessions'],
    ['end-sessions alice bob', '"bob" is not a valid argument', 'end-sessions'],
    ['end-sessions alice --operator=jo@x', 'The operator must be one name', 'end-sessions'],
    ['end-sessions alice --reason=', 'The reason must be one line', 'end-sessions'],
    ['audit --limit none', '"none" is not a number', 'audit'],
    ['user alice --frosen', '"--frosen" is no flag', 'user'],
  ])('given "%s", when parsed, then the error names the problem and the usage', (line, problem, verb) => {
    expect(() => parse(line)).toThrow(problem);
    expect(() => parse(line)).toThrow(`npm run admin -- ${verb}`);
  });
});
