import { readLogin } from './login.js';

describe('what a user signs in with', () => {
  it.each([
    ['Alice', { kind: 'username', value: 'alice' }],
    ['(415) 555-0101', { kind: 'phone', value: '+14155550101' }],
    [' Mike@Example.com ', { kind: 'email', value: 'mike@example.com' }],
    ['zo\u00eb@example.com', { kind: 'email', value: 'zo\u00eb@example.com' }],
    ['ZO\u00cb@example.com', { kind: 'email', value: 'zo\u00eb@example.com' }],
    ['stra\u00dfe@example.com', { kind: 'email', value: 'stra\u00dfe@example.com' }],
    ['mi\u212ae@example.com', { kind: 'email', value: 'mi\u212ae@example.com' }],
    ['\u0130da@example.com', { kind: 'email', value: '\u0130da@example.com' }],
  ])('given %s, when it is read, then it names the account that has it on file, and no other', (typed, login) => {
    expect(readLogin(typed)).toEqual(login);
  });
});
