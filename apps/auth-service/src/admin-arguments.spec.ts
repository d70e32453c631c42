import { readAdminArguments } from './admin-arguments.js';

const WHOLE = ['--owner', 'alice', '--name', 'Shop', '--redirect-url', 'https://shop.example/cb'];

describe('the arguments that make an app', () => {
  it('given an id, an owner, a name and an address, when read, then the rest follows from them', () => {
    expect(readAdminArguments(['app', '1112', ...WHOLE], true)).toEqual({
      kind: 'app',
      operator: null,
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
    [['app', ...WHOLE], 'Which client_id?'],
    [['app', 'demo', ...WHOLE], '"demo" is no client_id'],
    [['app', '2147483648', ...WHOLE], '"2147483648" is no client_id'],
    [['app', '1', '2', ...WHOLE], '"2" is not understood'],
    [['app', '1', ...WHOLE.slice(2)], 'Who owns the app?'],
    [['app', '1', ...WHOLE.slice(0, 2), ...WHOLE.slice(4)], '--name: It is needed.'],
    [['app', '1', ...WHOLE.slice(0, 4)], 'Where do users return to?'],
    [['app', '1', ...WHOLE, '--redirect-url', 'ftp://x'], '--redirect-url: It must look like'],
    [['app', '1', ...WHOLE, '--site-url', 'nowhere'], '--site-url: It must be an address'],
    [['app', '1', ...WHOLE, '--secret', 'x'], "Unknown option '--secret'"],
  ])('given %j, when read, then it says what is wrong and how it is written', (args, problem) => {
    expect(() => readAdminArguments(args, true)).toThrow(
      new RegExp(`${problem.replaceAll('?', '\\?')}[\\s\\S]*npm run admin -- app`),
    );
  });
});

describe('the arguments that stop an app or a user', () => {
  const read = (line: string) => readAdminArguments(line.split(' '), true);

  it.each([
    ['suspend-app 1112', { kind: 'suspend-app', clientId: '1112', operator: null }],
    ['resume-app demo-app --operator=jo', { kind: 'resume-app', clientId: 'demo-app', operator: 'jo' }],
    ['end-sessions alice --operator jo.doe', { kind: 'end-sessions', username: 'alice', operator: 'jo.doe' }],
    ['user alice', { kind: 'user', username: 'alice', isFrozenForReading: null, operator: null }],
    ['user alice --frozen', { kind: 'user', username: 'alice', isFrozenForReading: null, operator: null }],
    ['user alice --frozen-for-reading', { kind: 'user', username: 'alice', isFrozenForReading: true, operator: null }],
    ['user alice --no-frozen', { kind: 'user', username: 'alice', isFrozenForReading: false, operator: null }],
  ])('given "%s", when read, then it is understood', (line, command) => {
    expect(read(line)).toEqual(command);
  });

  it.each([
    ['suspend-app', 'Which client_id?', 'suspend-app'],
    ['suspend-app a b', '"b" is not understood', 'suspend-app'],
    ['suspend-app a@b', '"a@b" is no client_id', 'suspend-app'],
    ['resume-app 1 --name X', "Unknown option '--name'", 'resume-app'],
    ['end-sessions', 'Which user?', 'end-sessions'],
    ['end-sessions alice bob', '"bob" is not understood', 'end-sessions'],
    ['end-sessions alice --operator=jo@x', 'An operator is one name', 'end-sessions'],
    ['user alice --frosen', '"--frosen" is no flag', 'user'],
  ])('given "%s", when read, then it says what is wrong and how it is written', (line, problem, verb) => {
    expect(() => read(line)).toThrow(problem);
    expect(() => read(line)).toThrow(`npm run admin -- ${verb}`);
  });
});
