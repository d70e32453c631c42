import { SignInThrottle } from './sign-in-throttle.js';

const alice = { account: 'alice', address: '192.0.2.1' };

function failures(throttle: SignInThrottle, count: number, attempt = alice): void {
  for (let n = 0; n < count; n += 1) throttle.begin(attempt, 0);
}

describe('SignInThrottle', () => {
  it('given ten failed tries, when tried again, then it must wait, twice as long each time, and never over 30 s', () => {
    const throttle = new SignInThrottle();
    failures(throttle, 10);
    const waits: number[] = [];
    for (let atMs = 0, n = 0; n < 8; n += 1) {
      const waitMs = throttle.begin(alice, atMs);
      waits.push(waitMs);
      atMs += waitMs;
      expect(throttle.begin(alice, atMs)).toBe(0);
    }
    expect(waits).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000]);
  });

  it('given an account under attack, when another account is tried from elsewhere, then it need not wait', () => {
    const throttle = new SignInThrottle();
    failures(throttle, 10);
    expect(throttle.begin({ account: 'bob', address: '192.0.2.2' }, 0)).toBe(0);
  });

  it('given one address that tries many accounts, when it goes on, then it must wait', () => {
    const throttle = new SignInThrottle();
    for (let n = 0; n < 50; n += 1) expect(throttle.begin({ account: `a${n}`, address: 'x' }, 0)).toBe(0);
    expect(throttle.begin({ account: 'fresh', address: 'x' }, 0)).toBe(1_000);
  });

  it('given failed tries, when the right password comes, then the account starts anew', () => {
    const throttle = new SignInThrottle();
    failures(throttle, 10);
    expect(throttle.begin(alice, 1_000)).toBe(0);
    throttle.succeeded(alice);
    expect(throttle.begin(alice, 1_000)).toBe(0);
  });

  it('given tries that succeed, when there are many from one address, then it never waits', () => {
    const throttle = new SignInThrottle();
    for (let n = 0; n < 500; n += 1) {
      expect(throttle.begin(alice, 0)).toBe(0);
      throttle.succeeded(alice);
    }
  });

  it('given failed tries, when a quarter of an hour passes, then they are forgotten', () => {
    const throttle = new SignInThrottle();
    failures(throttle, 12);
    expect(throttle.begin(alice, 15 * 60_000)).toBe(0);
    expect(throttle.begin(alice, 15 * 60_000)).toBe(0);
  });
});
