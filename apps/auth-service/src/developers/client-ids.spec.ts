import { isClientId, generateClientId } from './client-ids.js';

describe('client ids', () => {
  it('given 1,000 generated ids, when compared, then each is a 31-bit number and almost all differ', () => {
    const ids = Array.from({ length: 1_000 }, generateClientId);
    expect(ids.filter((id) => !isClientId(id))).toEqual([]);
    expect(new Set(ids).size).toBeGreaterThan(990);
  });

  it.each([
    ['1', true],
    ['1112', true],
    ['2147483647', true],
    ['2147483648', false],
    ['9999999999', false],
    ['0', false],
    ['01', false],
    ['-1', false],
    ['1.0', false],
    ['demo-app', false],
    ['', false],
  ])('given %p, when checked, then it is a client id: %p', (id, isValid) => {
    expect(isClientId(id)).toBe(isValid);
  });
});
