import { faultOfRedemption } from './code-state.js';

const CODE = {
  isUsed: false,
  isRevoked: false,
  expiresAtMs: 60_000,
  redirectUri: 'https://a.example/cb',
  challenge: null,
};
const SHOWN = { redirectUri: 'https://a.example/cb', verifier: null, nowMs: 59_999 };

describe('faultOfRedemption', () => {
  it.each([
    ['everything as it was', {}, {}, null],
    ['no address in either place', { redirectUri: null }, { redirectUri: null }, null],
    ['the sixtieth second over', {}, { nowMs: 60_000 }, 'over'],
    ['what the user took back', { isRevoked: true }, {}, 'over'],
    ['another address', {}, { redirectUri: 'https://a.example/cb/' }, 'other_address'],
    ['an address where none is known', { redirectUri: null }, {}, 'other_address'],
    ['no address', {}, { redirectUri: null }, null],
    ['what was appended', {}, { redirectUri: 'https://a.example/cb?code=x&state=a%20b&iss=https%3A%2F%2Fi' }, null],
    ['what was appended, in another order', {}, { redirectUri: 'https://a.example/cb?state=s&code=x' }, null],
    [
      'what was appended to an address with a query',
      { redirectUri: 'https://a.example/cb?t=1' },
      { redirectUri: 'https://a.example/cb?t=1&code=x&iss=i' },
      null,
    ],
    ['a query of its own', {}, { redirectUri: 'https://a.example/cb?t=1&code=x' }, 'other_address'],
    ['another address with what was appended', {}, { redirectUri: 'https://b.example/cb?code=x' }, 'other_address'],
    ['a name that begins alike', {}, { redirectUri: 'https://a.example/cb?codes=x' }, 'other_address'],
    ['a verifier that nobody announced', {}, { verifier: 'v'.repeat(43) }, 'wrong_verifier'],
    ['a second use', { isUsed: true }, {}, 'used'],
    ['a second use by whoever knows nothing else', { isUsed: true }, { redirectUri: null, nowMs: 99_999 }, 'used'],
  ])('given %s, when redeemed, then the fault is told', (_what, code, shown, fault) => {
    expect(faultOfRedemption({ ...CODE, ...code }, { ...SHOWN, ...shown })).toBe(fault);
  });
});
