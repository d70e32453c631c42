import { isId } from '@settle/contracts';
import fc from 'fast-check';
import { parseIsoDateUs } from '../parameters/iso-date.js';
import { DATE_PATTERN, ID_PATTERN } from './patterns.js';

const isOf = (pattern: string, text: string) => new RegExp(pattern, 'u').test(text);

describe('patterns of the OpenAPI document', () => {
  it.each([
    '9223372036854775807',
    '9223372036854775808',
    '9999999999999999999',
    '100000000000000000',
    '0123456789012345678',
  ])('given %s, when it is held against the pattern of ids, then it fits as far as it is one', (text) => {
    expect(isOf(ID_PATTERN, text)).toBe(isId(text));
  });

  it('given numbers around the bounds of ids, when they are held against the pattern, then it fits those that are ids', () => {
    const near = fc.bigInt({ min: 10n ** 16n, max: 10n ** 19n + 10n ** 18n }).map(String);
    fc.assert(fc.property(near, (text) => isOf(ID_PATTERN, text) === isId(text)));
  });

  it('given dates and near misses, when they are held against the pattern, then it fits those that are read', () => {
    const two = (max: number) => fc.integer({ min: 0, max }).map((value) => String(value).padStart(2, '0'));
    const date = fc
      .tuple(fc.integer({ min: 0, max: 9_999 }), two(14), two(33))
      .map(([year, month, day]) => `${String(year).padStart(4, '0')}-${month}-${day}`);
    const time = fc.tuple(two(25), two(61)).map((parts) => parts.join(':'));
    const rest = fc.oneof(
      fc.constant(''),
      fc.constantFrom('Z', 'ZZ', '+00:00', '-23:59', '+24:00', ':59', ':60', ':01.5Z', ':01.'),
    );
    const text = fc
      .tuple(date, fc.option(fc.tuple(time, rest)))
      .map(([day, clock]) => day + (clock === null ? '' : `T${clock.join('')}`));
    fc.assert(
      fc.property(
        text,
        (sent) => sent.includes('-02-29') || isOf(DATE_PATTERN, sent) === (parseIsoDateUs(sent, 'up') !== null),
      ),
      { numRuns: 2_000 },
    );
  });
});
