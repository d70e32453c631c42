import fc from 'fast-check';
import { compareIds, idTimeMs, isId, derivePaymentId, randomId } from './index.js';

/** From when ids have 18 digits until 41 bits of milliseconds are used up. */
const time = fc.integer({ min: Date.UTC(2011, 0), max: Date.UTC(2079, 0) });
const id = fc.bigInt({ min: 10n ** 17n, max: 2n ** 63n - 1n }).map(String);

describe('ids', () => {
  // Shows payment-3
  it('given any time, when an id is drawn, then it is one and tells its time', () => {
    fc.assert(
      fc.property(time, fc.uuid(), fc.nat(20), (atMs, commandId, draw) => {
        for (const drawn of [randomId(atMs), derivePaymentId(atMs, commandId, draw)]) {
          expect(isId(drawn)).toBe(true);
          expect(idTimeMs(drawn)).toBe(atMs);
        }
      }),
    );
  });

  // Shows payment-4
  it('given one command, when its payment id is drawn twice, then it is the same; for the next draw another', () => {
    fc.assert(
      fc.property(time, fc.uuid(), (atMs, commandId) => {
        expect(derivePaymentId(atMs, commandId)).toBe(derivePaymentId(atMs, commandId, 0));
        expect(derivePaymentId(atMs, commandId, 1)).not.toBe(derivePaymentId(atMs, commandId, 0));
      }),
      // Two of 2^22 may collide by chance; these do not.
      { seed: 1, numRuns: 200 },
    );
  });

  // Shows payment-4
  it('given one millisecond, when many random ids are drawn, then hardly any two are alike', () => {
    const drawn = new Set(Array.from({ length: 1000 }, () => randomId(Date.UTC(2026, 0))));
    expect(drawn.size).toBeGreaterThan(990);
  });

  // Shows payment-3
  it('given two ids, when compared, then they are ordered as numbers', () => {
    fc.assert(
      fc.property(id, id, (left, right) => {
        const difference = BigInt(left) - BigInt(right);
        expect(Math.sign(compareIds(left, right))).toBe(difference < 0n ? -1 : difference > 0n ? 1 : 0);
      }),
    );
  });

  it('given a later time, when ids are drawn, then the later one is greater', () => {
    fc.assert(fc.property(time, (atMs) => expect(compareIds(randomId(atMs), randomId(atMs + 1))).toBeLessThan(0)));
  });

  // Shows user-2
  it.each([
    ['the known id of the sandbox user', '145434160922624933', true],
    ['the greatest', '9223372036854775807', true],
    ['one more than the greatest', '9223372036854775808', false],
    ['17 digits', '14543416092262493', false],
    ['20 digits', '14543416092262493311', false],
    ['a leading zero', '0145434160922624933', false],
    ['a sign', '-145434160922624933', false],
    ['a blank', ' 145434160922624933', false],
    ['a line break', '145434160922624933\n', false],
    ['other digits', '١٤٥٤٣٤١٦٠٩٢٢٦٢٤٩٣٣', false],
    ['nothing', '', false],
  ])('given %s, when judged, then %s is an id: %s', (_what, text, expected) => {
    expect(isId(text)).toBe(expected);
  });
});
