import { findPasswordFault } from './password-rules.js';

describe('findPasswordFault', () => {
  // Shows friend-19
  it.each(['1234567', 'é'.repeat(7), '😀'.repeat(7), ''])(
    'given the password %j, when it is checked, then it is too short',
    (password) => {
      expect(findPasswordFault(password)).toMatch(/at least 8/);
    },
  );

  // Shows friend-20
  it.each(['password', 'PassWord1', '12345678', 'qwertyuiop', 'iloveyou1', 'ｐassword'])(
    'given the password %j, when it is checked, then it is too common',
    (password) => {
      expect(findPasswordFault(password)).toMatch(/too common/);
    },
  );

  // Shows friend-20
  it('given a name or address of the user, when it is checked as a password, then it is refused', () => {
    expect(findPasswordFault('Dora.Dane@Example.com', ['dora.dane@example.com', ''])).toMatch(/Your own/);
  });

  it.each(['wet grass at noon', 'xkcdxkcd9', 'a'.repeat(1_024), '        7'])(
    'given the password %j, when it is checked, then it is accepted',
    (password) => {
      expect(findPasswordFault(password, ['dora'])).toBeNull();
    },
  );
});
