import { findRedemptionFault } from './code-state.js';

const CODE = {
  isUsed: false,
  isRevoked: false,
  expiresAtMs: 60_000,
  redirectUri: 'https://a.example/cb',
  challenge: null,
};
const REDEMPTION = { redirectUri: 'https://a.example/cb', verifier: null, nowMs: 59_999 };

describe('faultOfRedemption', () => {
  it.each([
    ['a valid redemption', {}, {}, null],
    ['no redirect URI, stored or sent', { redirectUri: null }, { redirectUri: null }, null],
    ['a code that has expired', {}, { nowMs: 60_000 }, 'expired'],
    ['a revoked authorization', { isRevoked: true }, {}, 'expired'],
    ['a different redirect URI', {}, { redirectUri: 'https://a.example/cb/' }, 'redirect_uri_mismatch'],
    ['a redirect URI where none is stored', { redirectUri: null }, {}, 'redirect_uri_mismatch'],
    ['no redirect URI sent', {}, { redirectUri: null }, null],
    [
      'the appended parameters',
      {},
      { redirectUri: 'https://a.example/cb?code=x&state=a%20b&iss=https%3A%2F%2Fi' },
      null,
    ],
    ['the appended parameters in another order', {}, { redirectUri: 'https://a.example/cb?state=s&code=x' }, null],
    [
      'parameters appended to a redirect URI with a query',
      { redirectUri: 'https://a.example/cb?t=1' },
      { redirectUri: 'https://a.example/cb?t=1&code=x&iss=i' },
      null,
    ],
    [
      'parameters appended to a redirect URI whose query contains a question mark',
      { redirectUri: 'https://a.example/cb?next=/p?t=1' },
      { redirectUri: 'https://a.example/cb?next=/p?t=1&code=x&state=s' },
      null,
    ],
    [
      'a different text after a question mark in the query',
      { redirectUri: 'https://a.example/cb?next=/p?t=1' },
      { redirectUri: 'https://a.example/cb?next=/p?t=2&code=x' },
      'redirect_uri_mismatch',
    ],
    ['an extra query parameter', {}, { redirectUri: 'https://a.example/cb?t=1&code=x' }, 'redirect_uri_mismatch'],
    [
      'a different host with appended parameters',
      {},
      { redirectUri: 'https://b.example/cb?code=x' },
      'redirect_uri_mismatch',
    ],
    [
      'a parameter whose name begins with code',
      {},
      { redirectUri: 'https://a.example/cb?codes=x' },
      'redirect_uri_mismatch',
    ],
    ['a verifier without a challenge', {}, { verifier: 'v'.repeat(43) }, 'verifier_mismatch'],
    ['a used code', { isUsed: true }, {}, 'used'],
    ['a used code without other parameters', { isUsed: true }, { redirectUri: null, nowMs: 99_999 }, 'used'],
  ])('given %s, when the code is redeemed, then the expected fault is returned', (_case, code, redemption, fault) => {
    expect(findRedemptionFault({ ...CODE, ...code }, { ...REDEMPTION, ...redemption })).toBe(fault);
  });
});
