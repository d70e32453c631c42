import fc from 'fast-check';
import { parseReturnPath, withReturnTo } from './return-path.js';

const FOREIGN_PATHS = [
  '//evil.test',
  '///evil.test',
  '/\\evil.test',
  '\\/evil.test',
  '/\t/evil.test',
  '/\n/evil.test',
  '/./\\evil.test',
  '/.//evil.test',
  '/account/..//evil.test',
  '/account/../..//evil.test/account',
  '/account/%2e%2e//evil.test',
  '/account\\..\\..\\/evil.test',
  'https://evil.test/account',
  'https:/account',
  'https:evil.test/account',
  'http://own.invalid@evil.test/account',
  '//own.invalid@evil.test/account',
  '@evil.test',
  '/@evil.test',
  '/accounts',
  '/account.evil.test',
  '/accountevil',
  '/v1/oauth/authorizes',
  '/v1/oauth/assets/settle.css',
  'javascript:alert(1)',
  'data:text/html,x',
  'account',
  '',
  ' /account/x',
  '/%2f%2fevil.test',
  '//xn--80ak6aa92e.com',
  '//[::1]/account',
  '/\\/evil.test',
  '/\\\\evil.test',
  '\\\\evil.test\\account',
  '/\r\n/evil.test',
  '/\0/evil.test',
  '/\u2028/evil.test',
  '/\uff0fevil.test',
  '/%5cevil.test',
  '/%09/evil.test',
  '/%2e%2e//evil.test',
  '/.\\evil.test',
  '/..//evil.test',
  '/account/.%2e//evil.test',
  '/account/.\t.//evil.test',
  '/v1/oauth/authorize/../../..//evil.test',
  '/;@evil.test',
  '/?//evil.test/account',
  '/#//evil.test/account',
  '//user:pw@evil.test/account',
  '//evil.test:443/account',
  '//evil.test\\@own.invalid/account',
  '//own.invalid.evil.test/account',
  '//own.invalid:80@evil.test/account',
  '//0x7f.1/account',
  '//evil\u3002test/account',
  '//:0/account',
  '///account',
  'HTTP://evil.test/account',
  'http:\\\\evil.test\\account',
  'http://own.invalid/account',
  'blob:http://own.invalid/account',
  '?return_to=/account',
  '#/account',
  '/ACCOUNT',
  '/%61ccount',
  '/account%2fx',
  '/account%00',
  '/account;/x',
  '/account.',
  '/v1/oauth/sign-in',
  `/account?${'x'.repeat(6_000)}`,
];

describe('parseReturnPath', () => {
  it.each(FOREIGN_PATHS)('given %j, when parsed, then it is the account page', (text) => {
    expect(parseReturnPath(text)).toBe('/account');
  });

  it.each([
    ['/account/security', '/account/security'],
    ['/v1/oauth/authorize?client_id=a&state=%2F%2Fevil.test', '/v1/oauth/authorize?client_id=a&state=%2F%2Fevil.test'],
    ['/account/../account/security#x', '/account/security'],
  ])('given %s, when parsed, then it is %s', (text, path) => {
    expect(parseReturnPath(text)).toBe(path);
    expect(parseReturnPath(decodeURIComponent(withReturnTo('/x', path).split('return_to=')[1] ?? ''))).toBe(path);
  });

  it.each([undefined, null, 5, ['/account/security'], {}])(
    'given %j, when parsed, then it is the account page',
    (value) => {
      expect(parseReturnPath(value)).toBe('/account');
    },
  );

  // Shows friend-22
  it('given any text, when a browser follows the parsed path, then it stays on this origin', () => {
    const piece = fc.constantFrom(
      '/',
      '\\',
      '//',
      '@',
      '\t',
      '\r',
      '..',
      '.',
      '%2f',
      ':',
      'evil.test',
      'account',
      '?',
      '#',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
        const origin = 'https://pay.example';
        expect(new URL(parseReturnPath(pieces.join('')), origin).origin).toBe(origin);
        expect(parseReturnPath(pieces.join(''))).toMatch(/^\/[a-z]/);
      }),
    );
  });
});
