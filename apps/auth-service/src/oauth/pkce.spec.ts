import { fitsChallenge, isS256Challenge } from './pkce.js';

/** Of RFC 7636, appendix B. */
const VERIFIER = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk';
const CHALLENGE = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM';

describe('fitsChallenge', () => {
  it('given the pair of the standard, when checked, then it fits', () => {
    expect(fitsChallenge(VERIFIER, CHALLENGE)).toBe(true);
  });

  it('given neither, when checked, then it fits', () => {
    expect(fitsChallenge(null, null)).toBe(true);
  });

  it.each([
    ['no verifier for a challenge', null, CHALLENGE],
    ['a verifier without a challenge', VERIFIER, null],
    ['another verifier', VERIFIER.replace('d', 'e'), CHALLENGE],
    ['the challenge itself', CHALLENGE, CHALLENGE],
    ['42 characters', VERIFIER.slice(1), CHALLENGE],
    ['129 characters', 'a'.repeat(129), CHALLENGE],
    ['other letters', `${VERIFIER}+`, CHALLENGE],
    ['a line end', `${VERIFIER}\n`, CHALLENGE],
  ])('given %s, when checked, then it does not fit', (_what, verifier, challenge) => {
    expect(fitsChallenge(verifier, challenge)).toBe(false);
  });

  it.each([
    [CHALLENGE, true],
    [CHALLENGE.slice(1), false],
    [`${CHALLENGE}=`, false],
    [VERIFIER.replace('-', '.'), false],
    ['', false],
  ])('given %s as a challenge, when judged, then it is %s', (challenge, verdict) => {
    expect(isS256Challenge(challenge)).toBe(verdict);
  });
});
