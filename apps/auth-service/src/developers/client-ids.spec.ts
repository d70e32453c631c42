import { isClientId, newClientId } from './client-ids.js';

describe('client ids', () => {
  it('given many new ones, when they are looked at, then each is a number of 31 bits, and they differ', () => {
    const ids = Array.from({ length: 1_000 }, newClientId);
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
  ])('given %p, when it is to be an id, then that is allowed: %p', (id, isAllowed) => {
    expect(isClientId(id)).toBe(isAllowed);
  });
});
