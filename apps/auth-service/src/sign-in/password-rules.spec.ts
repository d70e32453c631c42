import { passwordFault } from './password-rules.js';

describe('the rules of passwords', () => {
  // Shows friend-19
  it.each(['1234567', 'é'.repeat(7), '😀'.repeat(7), ''])('given %j, when judged, then it is too short', (password) => {
    expect(passwordFault(password)).toMatch(/at least 8/);
  });

  // Shows friend-20
  it.each(['password', 'PassWord1', '12345678', 'qwertyuiop', 'iloveyou1', 'ｐassword'])(
    'given %j, when judged, then it is too common',
    (password) => {
      expect(passwordFault(password)).toMatch(/guessers try first/);
    },
  );

  // Shows friend-20
  it('given a name or address of its owner, when judged, then it is refused', () => {
    expect(passwordFault('Dora.Dane@Example.com', ['dora.dane@example.com', ''])).toMatch(/Your own/);
  });

  it.each(['wet grass at noon', 'xkcdxkcd9', 'a'.repeat(1_024), '        7'])(
    'given %j, when judged, then it may be',
    (password) => {
      expect(passwordFault(password, ['dora'])).toBeNull();
    },
  );
});
