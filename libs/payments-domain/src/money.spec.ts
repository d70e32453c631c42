import fc from 'fast-check';
import { checkedCents, feeCentsOf, formatCents, parseAmountCents } from './money.js';

const LIMIT_CENTS = 299_999;
const parse = (text: string) => parseAmountCents(text, LIMIT_CENTS);

describe('parseAmountCents', () => {
  it.each<[string, number]>([
    ['0.01', 1],
    ['1', 100],
    ['1.5', 150],
    ['1.50', 150],
    ['0.100000', 10],
    ['0.2', 20],
    ['-0.01', -1],
    ['-30', -3000],
    ['2999.99', 299_999],
    ['-2999.99', -299_999],
    ['2999.990', 299_999],
  ])('given the exact amount %j, when it is read, then it is %d cents', (text, cents) => {
    expect(parse(text)).toBe(cents);
  });

  it.each([
    ...['0', '-0', '0.00', '-0.00', '0.000'],
    ...['0.001', '1.005', '0.999', '0.30000000000000004', '-0.009'],
    ...['1e2', '1E-2', '1e21', '1e400', 'NaN', 'Infinity', '-Infinity', 'null', 'true', '', ' ', 'abc'],
    ...['0x10', '0b1', '1_000', '1,00', '1.000,00', '$1', '+1', '.5', '1.', '01', '-01', '--1', '1-', '-', '- 1'],
    ...[' 1', '1 ', '1\n', '\t1', '１', '١', '\u22121', '1.٥', '1..2', '1.2.3', '[1]', '{"x":1}'],
    ...['3000.00', '-3000', '3000', '2999.991', '9007199254740993', '-9007199254740993', '9'.repeat(40)],
  ])('given %j, when it is read, then it is refused', (text) => {
    expect(parse(text)).toBeNull();
  });

  it.each<[string, string]>([
    ['digits', '9'.repeat(100_000)],
    ['zeros, then a digit', `1.${'0'.repeat(100_000)}1`],
    ['zeros, then a letter', `1.${'0'.repeat(100_000)}x`],
    ['signs', '-'.repeat(100_000)],
  ])('given 100,000 %s, when they are read, then they are refused within 5 ms', (_what, text) => {
    expect(parse(text)).toBeNull();
    const times = [1, 2, 3].map(() => {
      const startedAtMs = performance.now();
      parse(text);
      return performance.now() - startedAtMs;
    });
    expect(Math.min(...times)).toBeLessThan(5);
  });

  it('given any decimal text, when it is read, then whole-number arithmetic agrees', () => {
    const decimal = fc.record({
      sign: fc.constantFrom('', '-'),
      whole: fc.oneof(fc.nat({ max: 4000 }), fc.maxSafeNat()),
      fraction: fc.array(fc.nat({ max: 9 }), { maxLength: 6 }),
      zeros: fc.nat({ max: 3 }),
      maxCents: fc.constantFrom(LIMIT_CENTS, Number.MAX_SAFE_INTEGER),
    });
    fc.assert(
      fc.property(decimal, ({ sign, whole, fraction, zeros, maxCents }) => {
        const digits = `${fraction.join('')}${'0'.repeat(zeros)}`;
        const text = `${sign}${whole}${digits === '' ? '' : `.${digits}`}`;
        expect(parseAmountCents(text, maxCents)).toBe(oracle(sign, `${whole}`, digits, maxCents));
      }),
      { numRuns: 5000 },
    );
  });

  it('given any text at all, when it is read, then it is signed cents within the limit or refused', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const cents = parse(text);
        expect(cents === null || (cents !== 0 && Number.isInteger(cents) && Math.abs(cents) <= LIMIT_CENTS)).toBe(true);
      }),
      { numRuns: 2000 },
    );
  });
});

/** Reckoned in tenths of a thousandth of a millionth, so that nothing is rounded. */
function oracle(sign: string, whole: string, digits: string, maxCents: number): number | null {
  const scale = 10n ** 9n;
  const parts = BigInt(whole) * scale + BigInt(digits.padEnd(9, '0'));
  const perCent = scale / 100n;
  const cents = parts / perCent;
  if (parts % perCent !== 0n || cents === 0n || cents > BigInt(maxCents)) return null;
  return Number(sign === '-' ? -cents : cents);
}

describe('formatCents', () => {
  it.each<[number, string]>([
    [0, '0'],
    [-0, '0'],
    [1, '0.01'],
    [-1, '-0.01'],
    [10, '0.1'],
    [99, '0.99'],
    [100, '1'],
    [105, '1.05'],
    [-150, '-1.5'],
    [299_999, '2999.99'],
    [Number.MAX_SAFE_INTEGER, '90071992547409.91'],
  ])('given %d cents, when they are written, then the text is %s', (cents, text) => {
    expect(formatCents(cents)).toBe(text);
  });

  it('given any safe number of cents, when it is written and read, then nothing has changed', () => {
    fc.assert(
      fc.property(fc.maxSafeInteger(), (cents) => {
        const text = formatCents(cents);
        expect(text).toMatch(/^-?(0|[1-9][0-9]*)(\.[0-9]{1,2})?$/);
        expect(text).not.toMatch(/^-0$|\.[0-9]?0$/);
        expect(parseAmountCents(text, Number.MAX_SAFE_INTEGER)).toBe(cents === 0 ? null : cents);
      }),
      { numRuns: 5000 },
    );
  });

  it.each([0.5, NaN, Infinity, 2 ** 53])('given %d, when it is written, then it is no amount', (cents) => {
    expect(() => formatCents(cents)).toThrow(RangeError);
    expect(() => checkedCents(cents)).toThrow(RangeError);
  });
});

describe('feeCentsOf', () => {
  // Shows act-43
  it.each<[number, number, number, number]>([
    [1000, 0, 0, 0],
    [1000, 0, 25, 25],
    [1000, 290, 30, 59],
    [50, 99, 0, 0],
    [50, 100, 0, 1],
    [49, 100, 0, 0],
    [150, 100, 0, 2],
    [149, 100, 0, 1],
    [1, 5000, 0, 1],
    [1, 4999, 0, 0],
    [299_999, 10_000, 0, 299_999],
  ])('given %d cents at %d basis points and %d fixed, when the fee is taken, then it is %d', (...row) => {
    const [amountCents, feeBps, feeFixedCents, feeCents] = row;
    expect(feeCentsOf(amountCents, { feeBps, feeFixedCents })).toBe(feeCents);
  });

  it('given any rate, when the fee is taken, then it is the exact share rounded half up', () => {
    const rate = fc.record({ feeBps: fc.nat({ max: 10_000 }), feeFixedCents: fc.nat({ max: 10_000 }) });
    fc.assert(
      fc.property(fc.nat({ max: 100_000_000 }), rate, (amountCents, { feeBps, feeFixedCents }) => {
        const doubled = (BigInt(amountCents) * BigInt(feeBps) * 2n + 10_000n) / 20_000n;
        expect(feeCentsOf(amountCents, { feeBps, feeFixedCents })).toBe(Number(doubled) + feeFixedCents);
      }),
      { numRuns: 3000 },
    );
  });
});
