import { matchesChallenge, isS256Challenge } from './pkce.js';

/** From RFC 7636, appendix B. */
const VERIFIER = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk';
const CHALLENGE = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM';

describe('fitsChallenge', () => {
  it('given the pair of the standard, when it is checked, then it matches', () => {
    expect(matchesChallenge(VERIFIER, CHALLENGE)).toBe(true);
  });

  it('given neither verifier nor challenge, when they are checked, then they match', () => {
    expect(matchesChallenge(null, null)).toBe(true);
  });

  it.each([
    ['no verifier for a challenge', null, CHALLENGE],
    ['a verifier without a challenge', VERIFIER, null],
    ['a wrong verifier', VERIFIER.replace('d', 'e'), CHALLENGE],
    ['the challenge as verifier', CHALLENGE, CHALLENGE],
    ['a verifier of 42 characters', VERIFIER.slice(1), CHALLENGE],
    ['a verifier of 129 characters', 'a'.repeat(129), CHALLENGE],
    ['a verifier with a forbidden character', `${VERIFIER}+`, CHALLENGE],
    ['a verifier with a newline', `${VERIFIER}\n`, CHALLENGE],
  ])('given %s, when it is checked, then it does not match', (_case, verifier, challenge) => {
    expect(matchesChallenge(verifier, challenge)).toBe(false);
  });

  it.each([
    [CHALLENGE, true],
    [CHALLENGE.slice(1), false],
    [`${CHALLENGE}=`, false],
    [VERIFIER.replace('-', '.'), false],
    ['', false],
  ])('given the challenge %s, when its form is checked, then the result is %s', (challenge, isValid) => {
    expect(isS256Challenge(challenge)).toBe(isValid);
  });
});
