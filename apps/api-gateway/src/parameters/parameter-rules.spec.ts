import { LosslessNumber } from 'lossless-json';
import {
  amountRule,
  readAudience,
  readEmailTarget,
  readIds,
  readLimit,
  readNote,
  readOffset,
  readPhoneTarget,
  readStatuses,
  readUserIdTarget,
} from './parameter-rules.js';

const readAmountCents = (value: unknown) => amountRule(299_999)(value, 'amount');
const codeOf = (read: () => unknown): unknown => {
  try {
    return { read: read() };
  } catch (error) {
    return (error as { code: string }).code;
  }
};
const id = '1852942301724180481';

describe('the rules of parameters', () => {
  it.each<[unknown, unknown]>([
    ['0.01', 1],
    ['1.5', 150],
    ['-0.10', -10],
    ['0.100000', 10],
    ['2999.99', 299_999],
    [new LosslessNumber('1.50'), 150],
    [new LosslessNumber('-2999.99'), -299_999],
  ])('given the amount %p, when it is read, then it is exact', (value, cents) => {
    expect(readAmountCents(value)).toBe(cents);
  });

  it.each<[unknown]>(
    ['0', '-0.00', '0.001', '1e2', '.5', '1.', '01', '+1', ' 1', '1,00', '１', '−1', '3000', '9'.repeat(100_000)]
      .concat(['NaN', '0x10', '--1'])
      .map((text): [unknown] => [text])
      .concat([[new LosslessNumber('1E-2')], [new LosslessNumber('0.30000000000000004')], [true], [[1]], [{ x: 1 }]]),
  )('given the amount %p, when it is read, then it is refused', (value) => {
    expect(codeOf(() => readAmountCents(value))).toBe('invalid_amount');
  });

  // Shows parameter-29
  it.each(['9'.repeat(100_000), `0.${'0'.repeat(100_000)}1`, `0.${'0'.repeat(100_000)}`, `-${'0'.repeat(100_000)}`])(
    'given an amount of 100,000 digits, when it is read, then it takes no longer than a short one could',
    (text) => {
      const tookMs = Array.from({ length: 5 }, () => {
        const beganAtMs = performance.now();
        codeOf(() => readAmountCents(text));
        return performance.now() - beganAtMs;
      });
      expect(Math.min(...tookMs)).toBeLessThan(5);
    },
  );

  it.each<[string, unknown]>([
    ['  hi  ', 'hi'],
    ['a\r\nb\nc', 'a\nb\nc'],
    ['😀'.repeat(280), '😀'.repeat(280)],
    ['e\u0301 \u200f \u200d', 'e\u0301 \u200f \u200d'],
  ])('given the note %p, when it is read, then it is as trimmed', (note, read) => {
    expect(readNote(note, 'note')).toBe(read);
  });

  it.each<[unknown]>([
    ['   '],
    ['a\tb'],
    ['a\rb'],
    ['a\0'],
    ['a\u0085'],
    ...['\u202a', '\u202b', '\u202c', '\u202d', '\u202e', '\u2066', '\u2067', '\u2068', '\u2069'].map(
      (turning): [string] => [`a${turning}b`],
    ),
    ['\ud800'],
    ['x'.repeat(281)],
    ['😀'.repeat(281)],
    [7],
  ])('given the note %p, when it is read, then it is refused', (note) => {
    expect(codeOf(() => readNote(note, 'note'))).toBe('invalid_note');
  });

  it.each<[string, () => unknown, unknown]>([
    ['a user id', () => readUserIdTarget(id, 'user_id'), { read: id }],
    ['a user id as JSON number', () => readUserIdTarget(new LosslessNumber(id), 'user_id'), { read: id }],
    ['a user id beyond 2^63', () => readUserIdTarget('9223372036854775808', 'user_id'), 'invalid_target'],
    ['an e-mail', () => readEmailTarget(' Bob@Example.com ', 'email'), { read: 'Bob@Example.com' }],
    ['no e-mail', () => readEmailTarget('bob', 'email'), 'invalid_email'],
    ['a phone', () => readPhoneTarget('+1 (415) 555-0101', 'phone'), { read: '+14155550101' }],
    ['a phone of Canada', () => readPhoneTarget('4165550101', 'phone'), 'invalid_phone'],
    ['a limit beyond the largest page', () => readLimit('100000', 'limit'), { read: 50 }],
    ['a limit of one', () => readLimit('1', 'limit'), { read: 1 }],
    ['a limit of nothing', () => readLimit('0', 'limit'), { read: 20 }],
    ['a limit of nothing as JSON number', () => readLimit(new LosslessNumber('0'), 'limit'), { read: 20 }],
    ['a limit of two zeros', () => readLimit('00', 'limit'), 'invalid_limit'],
    ['an offset', () => readOffset('40', 'offset'), { read: 40 }],
    ['an offset of nothing', () => readOffset('0', 'offset'), { read: 0 }],
    ['an offset beyond all friends', () => readOffset('9'.repeat(30), 'offset'), { read: 1_000_000 }],
    ['an offset below nothing', () => readOffset('-1', 'offset'), 'invalid_request'],
    ['an audience in capitals', () => readAudience('Private', 'audience'), { read: 'private' }],
    ['an unknown audience', () => readAudience('prıvate', 'audience'), 'invalid_audience'],
    ['a broken limit', () => readLimit('1.0', 'limit'), 'invalid_limit'],
    ['statuses', () => readStatuses('settled,pending', 'status'), { read: ['settled', 'pending'] }],
    ['an unknown status', () => readStatuses('settled,paid', 'status'), 'invalid_status'],
    ['a list that ends in nothing', () => readStatuses('settled,', 'status'), 'invalid_status'],
    ['actors', () => readIds(`${id},${id}`, 'actor'), { read: [id, id] }],
    ['an actor that is no id', () => readIds('bob', 'actor'), 'invalid_request'],
  ])('given %s, when it is read, then this comes of it', (_name, read, result) => {
    expect(codeOf(read)).toEqual(result);
  });
});
