import { availableParallelism } from 'node:os';
import { computeMaxConcurrent, Passwords } from './passwords.js';

const maxConcurrent = computeMaxConcurrent(availableParallelism());

describe('Passwords', () => {
  it('given a hash, when passwords are verified, then only its password matches, in any Unicode composition', async () => {
    const passwords = new Passwords(Infinity);
    const stored = await passwords.hash('caf\u00e9 for two');
    await expect(passwords.verify(stored, 'cafe\u0301 for two')).resolves.toBe(true);
    await expect(passwords.verify(stored, 'cafe for two')).resolves.toBe(false);
    expect(passwords.isOutdated(stored)).toBe(false);
  });

  it('given no stored hash, when a password is verified, then it does not match', async () => {
    await expect(new Passwords(Infinity).verify(null, '')).resolves.toBe(false);
  });

  it('given a hash with weaker parameters, when it is checked, then it is outdated', () => {
    const weak = '$argon2id$v=19$m=8192,t=2,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA';
    expect(new Passwords(Infinity).isOutdated(weak)).toBe(true);
  });

  it('given all hashing slots in use and a full queue, when one more password is verified, then it is refused and the others finish', async () => {
    const passwords = new Passwords(Infinity);
    const taken = maxConcurrent + 20;
    const served = Array.from({ length: taken }, () => passwords.verify(null, 'x'));
    await expect(passwords.verify(null, 'x')).rejects.toMatchObject({ code: 'rate_limited' });
    await expect(Promise.all(served)).resolves.toHaveLength(taken);
    await expect(passwords.verify(null, 'x')).resolves.toBe(false);
  });

  it('given hashes that take longer than the wait, when further passwords are verified, then those are refused and the others finish', async () => {
    const passwords = new Passwords(1);
    const served = Array.from({ length: maxConcurrent }, () => passwords.verify(null, 'x'));
    await expect(passwords.verify(null, 'x')).rejects.toMatchObject({
      code: 'rate_limited',
      details: { retryAfterSeconds: 2 },
    });
    await expect(Promise.all(served)).resolves.toHaveLength(maxConcurrent);
    await expect(passwords.verify(null, 'x')).resolves.toBe(false);
  });

  it('given a full queue of untrusted devices, when a trusted device verifies a password, then it is served and one more untrusted device is refused', async () => {
    const passwords = new Passwords(Infinity);
    const untrusted = Array.from({ length: maxConcurrent + 12 }, () => passwords.verify(null, 'x', true));
    await expect(passwords.verify(null, 'x', true)).rejects.toMatchObject({ code: 'rate_limited' });
    await expect(passwords.verify(null, 'x')).resolves.toBe(false);
    await expect(Promise.all(untrusted)).resolves.not.toContain(true);
  });

  it.each([
    [1, 1],
    [2, 1],
    [4, 3],
    [64, 4],
  ])('given %d cores, when hashes run, then at most %d run at once', (coreCount, expected) => {
    expect(computeMaxConcurrent(coreCount)).toBe(expected);
  });
});
