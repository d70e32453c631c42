import { formatIsoDateUs } from '@settle/contracts';
import fc from 'fast-check';
import { parseIsoDateUs } from './iso-date.js';

const JAN_31_US = 1_769_817_600_000_000;
const TEN_HOURS_US = 36_000_000_000;

describe('parseIsoDateUs', () => {
  it.each<[string, number]>([
    ['2026-01-31', JAN_31_US],
    ['2026-01-31T10:00:00', JAN_31_US + TEN_HOURS_US],
    ['2026-01-31T10:00', JAN_31_US + TEN_HOURS_US],
    ['2026-01-31T10:00:00Z', JAN_31_US + TEN_HOURS_US],
    ['2026-01-31T10:00:00.5Z', JAN_31_US + TEN_HOURS_US + 500_000],
    ['2026-01-31T10:00:00.123456Z', JAN_31_US + TEN_HOURS_US + 123_456],
    ['2026-01-31T10:00:00.123456', JAN_31_US + TEN_HOURS_US + 123_456],
    ['2026-01-31T10:00:00.123456000Z', JAN_31_US + TEN_HOURS_US + 123_456],
    ['2026-01-31T10:00:00+00:00', JAN_31_US + TEN_HOURS_US],
    ['2026-01-31T10:00:00 00:00', JAN_31_US + TEN_HOURS_US],
    ['2026-01-31T11:30:00+01:30', JAN_31_US + TEN_HOURS_US],
    ['2026-01-31T08:00:00-02:00', JAN_31_US + TEN_HOURS_US],
    ['1970-01-01', 0],
    ['1969-12-31T23:59:59.999999Z', -1],
    ['2000-02-29', 951_782_400_000_000],
    ['2024-02-29', 1_709_164_800_000_000],
    ['0001-01-01', Number.MIN_SAFE_INTEGER],
    ['9999-12-31T23:59:59Z', Number.MAX_SAFE_INTEGER],
  ])('given %s, when it is read, then it is that microsecond', (text, atUs) => {
    expect(parseIsoDateUs(text, 'down')).toBe(atUs);
  });

  it.each([
    '',
    'yesterday',
    '20260131',
    '1769817600',
    '2026-13-01',
    '2026-00-01',
    '2026-02-30',
    '2026-02-29',
    '1900-02-29',
    '2026-01-00',
    '0000-01-01',
    '2026-1-31',
    '2026-01-31T',
    '2026-01-31T24:00:00',
    '2026-01-31T10:60:00',
    '2026-01-31T10:00:60',
    '2026-01-31T10',
    '2026-01-31T10:00:00.',
    '2026-01-31T10:00:00ZZ',
    '2026-01-31T10:00:00+0000',
    '2026-01-31T10:00:00+24:00',
    '2026-01-31 10:00:00',
    ' 2026-01-31',
    '2026-01-31\n',
    '２026-01-31',
  ])('given %p, when it is read, then it is refused', (text) => {
    expect(parseIsoDateUs(text, 'down')).toBeNull();
  });

  // Shows parameter-51
  it('given parts of a microsecond, when it is read, then what is strictly before or after stays so', () => {
    const whole = parseIsoDateUs('2026-01-31T10:00:00.123456Z', 'down') ?? 0;
    expect(parseIsoDateUs('2026-01-31T10:00:00.1234567Z', 'down')).toBe(whole);
    expect(parseIsoDateUs('2026-01-31T10:00:00.1234567Z', 'up')).toBe(whole + 1);
    expect(parseIsoDateUs('2026-01-31T10:00:00.123456000Z', 'up')).toBe(whole);
  });

  it('given any microsecond, when it is printed and read, then it is the same one', () => {
    const since1900 = fc.integer({ min: -2_208_988_800_000_000, max: 4_102_444_800_000_000 });
    fc.assert(fc.property(since1900, (atUs) => parseIsoDateUs(formatIsoDateUs(atUs), 'up') === atUs));
  });

  it('given any millisecond, when it is printed, then it agrees with Date', () => {
    const moments = fc.date({ min: new Date('1700-01-01'), max: new Date('2200-01-01'), noInvalidDate: true });
    const printed = (at: Date): string => `${at.toISOString().slice(0, -1)}000Z`;
    fc.assert(fc.property(moments, (at) => formatIsoDateUs(at.getTime() * 1_000) === printed(at)));
  });

  it('given a date of any day, when it is read, then it agrees with Date', () => {
    const days = fc.date({ min: new Date('1700-01-01'), max: new Date('2200-01-01'), noInvalidDate: true });
    const dateOf = (day: Date): string => day.toISOString().slice(0, 10);
    fc.assert(fc.property(days, (day) => parseIsoDateUs(dateOf(day), 'up') === Date.parse(dateOf(day)) * 1_000));
  });
});

describe('formatIsoDateUs', () => {
  // Shows payment-31
  it.each<[number, string]>([
    [0, '1970-01-01T00:00:00.000000Z'],
    [1, '1970-01-01T00:00:00.000001Z'],
    [-1, '1969-12-31T23:59:59.999999Z'],
    [1_700_000_000_123_456, '2023-11-14T22:13:20.123456Z'],
  ])('given %d, when it is printed, then microseconds stand there in full', (atUs, text) => {
    expect(formatIsoDateUs(atUs)).toBe(text);
  });
});
