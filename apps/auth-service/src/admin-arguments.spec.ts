import { readAppArguments } from './admin-arguments.js';

const WHOLE = ['--owner', 'alice', '--name', 'Shop', '--redirect-url', 'https://shop.example/cb'];

describe('the arguments that make an app', () => {
  it('given an id, an owner, a name and an address, when read, then the rest follows from them', () => {
    expect(readAppArguments(['app', '1112', ...WHOLE], true)).toEqual({
      clientId: '1112',
      ownerUsername: 'alice',
      details: {
        name: 'Shop',
        description: 'Shop',
        siteUrl: 'https://shop.example/',
        redirectUrls: ['https://shop.example/cb'],
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
    expect(() => readAppArguments(args, true)).toThrow(
      new RegExp(`${problem.replaceAll('?', '\\?')}[\\s\\S]*npm run admin -- app`),
    );
  });
});
