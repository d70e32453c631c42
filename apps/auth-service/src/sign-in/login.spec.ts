import { parseLogin } from './login.js';

describe('parseLogin', () => {
  it.each([
    ['Alice', { kind: 'username', value: 'alice' }],
    ['Mi\u212aE', { kind: 'username', value: 'mi\u212ae' }],
    ['(415) 555-0101', { kind: 'phone', value: '+14155550101' }],
    [' Mike@Example.com ', { kind: 'email', value: 'mike@example.com' }],
    ['zo\u00eb@example.com', { kind: 'email', value: 'zo\u00eb@example.com' }],
    ['ZO\u00cb@example.com', { kind: 'email', value: 'zo\u00eb@example.com' }],
    ['stra\u00dfe@example.com', { kind: 'email', value: 'stra\u00dfe@example.com' }],
    ['mi\u212ae@example.com', { kind: 'email', value: 'mi\u212ae@example.com' }],
    ['\u0130da@example.com', { kind: 'email', value: '\u0130da@example.com' }],
  ])('given %s, when it is parsed, then the kind and the stored form are returned', (typed, login) => {
    expect(parseLogin(typed)).toEqual(login);
  });
});
