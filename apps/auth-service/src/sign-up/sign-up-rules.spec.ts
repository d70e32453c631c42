import { findSignUpFaults } from './sign-up-rules.js';

const GOOD = {
  first_name: 'Dora',
  last_name: "O'Dane-Müller",
  username: 'dora.dane',
  email: 'dora@example.com',
  phone: '',
  password: 'wet grass at noon',
};

describe('findSignUpFaults', () => {
  it.each([
    {},
    { phone: '(415) 555-0101' },
    { username: 'a1b' },
    { username: 'Dora-Dane_2.x' },
    { first_name: '世界', last_name: 'n\u0303' },
    { first_name: 'ดวงใจ', last_name: 'محمد' },
    // Persian and Hindi spell these with joiners.
    { first_name: 'علی\u200cرضا', last_name: 'क्\u200dष' },
  ])('given a valid sign-up with %j, when it is checked, then it has no faults', (change) => {
    expect(findSignUpFaults({ ...GOOD, ...change })).toEqual({});
  });

  it.each([
    ['', 'This field is required.'],
    ['x'.repeat(61), 'Use at most 60 characters.'],
    ['A&B', 'Use letters, digits, spaces, dots, commas, hyphens and apostrophes, with at least one letter or digit.'],
  ])('given the first name %j, when it is checked, then the fault says: %s', (first_name, fault) => {
    expect(findSignUpFaults({ ...GOOD, first_name })).toEqual({ first_name: fault });
  });

  // Shows friend-18
  it.each([
    [
      'username',
      ['', 'ab', 'a'.repeat(31), '4155550101', 'a@b.example', '.ab', 'ab.', 'a..b', 'a b c', 'dörte', 'a\0bc'],
    ],
    [
      'first_name',
      [
        '',
        ' ',
        'x'.repeat(61),
        '<b>',
        'a\u202Eb',
        'a\0',
        'a\nb',
        '😀',
        'A&B',
        'Al\u200cice',
        'علی\u200c',
        '\u200cعلی',
        'ع\u200c\u200cل',
      ],
    ],
    [
      'first_name',
      ['\u3164', '\u115f', '\u034f', '\u2800', 'a\u3164', 'a\u034fb', '\u0301\u0302', '...', "-'", '\u00a0'],
    ],
    ['last_name', ['', '\t']],
    [
      'email',
      ['', 'dora', 'dora@', 'a@b@c.example', 'dora@example.com, eve@evil.test', 'dora@example.com\r\nBcc: x@y.zz'],
    ],
    ['phone', ['5', '+44 20 7946 0000', 'dora']],
    ['password', ['', 'short', 'password', 'dora.dane', 'DORA@example.com']],
  ] as const)(
    'given %s as one of %j, when the sign-up is checked, then only that field has a fault',
    (field, values) => {
      for (const value of values) {
        const faults = Object.keys(findSignUpFaults({ ...GOOD, [field]: value }));
        expect([value, faults]).toEqual([value, [field]]);
      }
    },
  );
});
