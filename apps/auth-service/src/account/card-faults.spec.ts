import { cardFaults } from './card-faults.js';
import { firstBalance, takeTestCard } from './test-cards.js';

const NOW_MS = Date.UTC(2031, 3, 30, 23, 59);
const good = { card_number: '4242 4242-4242 4242', expiry: '04/31', security_code: '123' };
const faulty = (change: Partial<typeof good>) => Object.keys(cardFaults({ ...good, ...change }, NOW_MS));

describe('a card as it is typed in', () => {
  it.each([{}, { expiry: '4/31'.padStart(5, '0') }, { expiry: '05 / 2031' }, { security_code: '1234' }])(
    'given %j, when judged, then it is well',
    (change) => expect(faulty(change)).toEqual([]),
  );

  // Shows friend-27
  it.each([
    [
      'card_number',
      ['', '4242', '4242 4242 4242 4241', 'x'.repeat(16), '4'.repeat(20), '４２４２４２４２４２４２４２４２'],
    ],
    ['expiry', ['', '03/31', '12/30', '13/31', '00/31', '4/31', '04.31', '0431', '04/1931']],
    ['security_code', ['', '12', '12345', '12a']],
  ] as const)('given %s that is none, when judged, then that field alone is wrong', (field, values) => {
    for (const value of values) expect([value, faulty({ [field]: value })]).toEqual([value, [field]]);
  });
});

describe('test cards', () => {
  it('given the numbers of the page, when taken, then one pays, one refuses later, and one is declined', () => {
    expect(takeTestCard('4242424242424242')).toEqual({
      id: expect.stringMatching(/^test-card-[0-9a-f-]{36}$/),
      lastFour: '4242',
    });
    expect(takeTestCard('4000000000000341').id).toMatch(/^test-card-declined-/);
    expect(() => takeTestCard('4000000000000002')).toThrow('declined');
  });

  it('given any other number, when taken, then it is refused and told nowhere', () => {
    expect(() => takeTestCard('5555555555554444')).toThrow(/^This is no test number/);
  });

  it('given a person, when their first balance is made, then it is the same command every time, and theirs alone', () => {
    const one = firstBalance('1852942301724180481');
    expect(one).toEqual(firstBalance(one.userId));
    expect(firstBalance('1852942301724180482').commandId).not.toBe(one.commandId);
    expect(one.commandId).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/);
  });
});
