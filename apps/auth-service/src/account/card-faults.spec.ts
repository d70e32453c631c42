import { findCardFaults } from './card-faults.js';
import { buildTestFunding, tokenizeTestCard } from './test-cards.js';

const NOW_MS = Date.UTC(2031, 3, 30, 23, 59);
const validCard = { card_number: '4242 4242-4242 4242', expiry: '04/31', security_code: '123' };
const findFaultyFields = (change: Partial<typeof validCard>) =>
  Object.keys(findCardFaults({ ...validCard, ...change }, NOW_MS));

describe('findCardFaults', () => {
  it.each([{}, { expiry: '4/31'.padStart(5, '0') }, { expiry: '05 / 2031' }, { security_code: '1234' }])(
    'given a valid card with %j, when checked, then it has no faults',
    (change) => expect(findFaultyFields(change)).toEqual([]),
  );

  // Shows friend-27
  it.each([
    [
      'card_number',
      ['', '4242', '4242 4242 4242 4241', 'x'.repeat(16), '4'.repeat(20), '４２４２４２４２４２４２４２４２'],
    ],
    ['expiry', ['', '03/31', '12/30', '13/31', '00/31', '4/31', '04.31', '0431', '04/1931']],
    ['security_code', ['', '12', '12345', '12a']],
  ] as const)('given an invalid %s, when checked, then only that field has a fault', (field, values) => {
    for (const value of values) expect([value, findFaultyFields({ [field]: value })]).toEqual([value, [field]]);
  });
});

describe('test cards', () => {
  it('given the numbers on the page, when tokenized, then one accepts payments, one declines payments, and one is declined', () => {
    expect(tokenizeTestCard('4242424242424242')).toEqual({
      id: expect.stringMatching(/^test-card-[0-9a-f-]{36}$/),
      lastFour: '4242',
    });
    expect(tokenizeTestCard('4000000000000341').id).toMatch(/^test-card-declined-/);
    expect(() => tokenizeTestCard('4000000000000002')).toThrow('declined');
  });

  it('given any other number, when tokenized, then it is rejected and the error does not repeat it', () => {
    expect(() => tokenizeTestCard('5555555555554444')).toThrow(/^This is not a test number/);
  });

  it('given a user, when the test funding is built twice, then both commands are equal and differ from those of other users', () => {
    const command = buildTestFunding('1852942301724180481');
    expect(command).toEqual(buildTestFunding(command.userId));
    expect(buildTestFunding('1852942301724180482').commandId).not.toBe(command.commandId);
    expect(command.commandId).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/);
  });
});
