import { DEMO_PASSWORD } from '@settle/contracts';
import { eventually } from '@settle/testing';
import type { Browser } from './browser.js';
import { call } from './client.js';
import { pageAt, signedInBrowser } from './developer.js';
import { percentile, tableLine } from './faults/figures.fixture.js';
import { type Guess, type Guessed, Guesser, makeAccounts, ReadsOfMe } from './guessing.fixture.js';
import { ownProduct } from './own-product.js';
import { tokenFor } from './sign-in.js';

const isLong = process.env.GUESSING === 'long';
const GUESSES = isLong ? 1_000 : 120;
const TIMEOUT_MS = isLong ? 300_000 : 60_000;
const READS_BEFORE = 200;
/** Beside guesses, on two cores that nobody else uses. */
const ME_P99_MS = 250;
const OWNER_WAITS_AT_MOST_MS = 30_000;

/** Tries that are free, until each next one waits. */
const FREE = { account: 10, address: 50, everywhere: 500 };
/** What passes beyond them when the wait begins with a second and doubles each time. */
const passingLater = (tookSeconds: number) => Math.ceil(Math.log2(tookSeconds + 1)) + 1;
/** What passes of guesses from everywhere, a tenth of a second apart. */
const passingEverywhere = (tookSeconds: number) => Math.ceil(tookSeconds * 10) + 1;

const address = (number: number) => `198.18.${Math.floor(number / 250)}.${1 + (number % 250)}`;
const guesses = (guess: (number: number) => Guess) => Array.from({ length: GUESSES }, (_, number) => guess(number));

describe('guessing at passwords', () => {
  const product = ownProduct({ TRUSTED_PROXIES: '1' });
  const table = [
    tableLine(['guesses', 'sent', 'compared', 'in s', 'owner signed in', 'at most ms', '/me p50 ms', '/me p99 ms']),
    tableLine(Array.from({ length: 8 }, () => '---')),
  ];
  let token: string;
  let guesser: Guesser;
  let accounts: readonly string[];
  /** Carol's own, in which she has signed in before. */
  let own: Browser;

  beforeAll(async () => {
    await product.start();
    token = await tokenFor('alice', ['access_profile']);
    own = await signedInBrowser('carol');
    guesser = await Guesser.begin();
    accounts = await makeAccounts(GUESSES);
  }, 120_000);
  afterAll(async () => {
    process.stderr.write(`Guessing, ${process.env.E2E_SHAPE ?? ''}:\n${table.join('\n')}\n`);
    await product.close();
  }, 60_000);

  /** Milliseconds until Carol is in, who tries again when she is told to wait. */
  async function ownerSignsIn(): Promise<number> {
    const beganAtMs = performance.now();
    const page = await own.open(pageAt('/account/sign-in'));
    await eventually(
      async () => {
        const { url, html } = await own.submit(page, { username: 'carol', password: DEMO_PASSWORD }, 'Sign in');
        if (url.pathname !== '/account') throw new Error(`The owner is not in: ${html}`);
      },
      { timeoutMs: OWNER_WAITS_AT_MOST_MS },
    );
    return performance.now() - beganAtMs;
  }

  /** Reads of `/me` beside `work`, as the last columns of the table; expected to be quick in the long form alone. */
  async function besideReads<Result>(name: string, work: () => Promise<[Result, string[]]>): Promise<Result> {
    const reads = new ReadsOfMe(token);
    const [result, columns] = await work();
    const tookMs = await reads.stop();
    const [p50Ms, p99Ms] = [percentile(tookMs, 0.5), percentile(tookMs, 0.99)];
    table.push(tableLine([name, ...columns, p50Ms.toFixed(1), p99Ms.toFixed(1)]));
    if (isLong) expect(p99Ms).toBeLessThanOrEqual(ME_P99_MS);
    return result;
  }

  /** Sends all guesses while Carol signs in again and again, in her own browser, and somebody reads. */
  const guessAll = (name: string, all: readonly Guess[]): Promise<Guessed> =>
    besideReads(name, async () => {
      let isOver = false;
      const guessing = guesser.guessAll(all).finally(() => (isOver = true));
      const waitsMs: number[] = [];
      do waitsMs.push(await ownerSignsIn());
      while (!isOver);
      const guessed = await guessing;
      const owner = [`${waitsMs.length} times`, Math.max(...waitsMs).toFixed(0)];
      const columns = [guessed.sent, guessed.compared, guessed.tookSeconds.toFixed(1), ...owner].map(String);
      expect([guessed.wrong, guessed.compared + guessed.refused]).toEqual([[], all.length]);
      return [guessed, columns];
    });

  it('given nobody who guesses, when /me is read, then that is what the rest is measured by', () =>
    besideReads('none', async () => {
      for (let read = 0; read < READS_BEFORE; read += 1) await call('/me', { token });
      return [null, ['0', '0', '', '', '']];
    }));

  it(
    'given many passwords on one account from as many addresses, when sent, then ten are compared and then one after ever longer waits, and its owner gets in',
    async () => {
      const all = guesses((number) => ({ username: 'carol', password: `guess-${number}`, from: address(number) }));
      const { compared, tookSeconds } = await guessAll('passwords on one account', all);
      expect(compared).toBeGreaterThanOrEqual(FREE.account);
      expect(compared).toBeLessThanOrEqual(FREE.account + passingLater(tookSeconds));
    },
    TIMEOUT_MS,
  );

  it(
    'given one password on many accounts from one address, when sent, then fifty are compared and then one after ever longer waits, and others get in',
    async () => {
      const from = '203.0.113.1';
      const all = accounts.map((username) => ({ username, password: 'guess', from }));
      const { compared, tookSeconds } = await guessAll('accounts, from one address', all);
      expect(compared).toBeGreaterThan(0);
      expect(compared).toBeLessThanOrEqual(FREE.address + passingLater(tookSeconds));
    },
    TIMEOUT_MS,
  );

  it(
    'given one password on many accounts, each from its own address, when sent, then five hundred are compared and then ten a second, and others get in',
    async () => {
      const all = accounts.map((username, number) => ({ username, password: 'again', from: address(1_000 + number) }));
      const { compared, tookSeconds } = await guessAll('accounts, from as many addresses', all);
      expect(compared).toBeGreaterThan(0);
      expect(compared).toBeLessThanOrEqual(FREE.everywhere + passingEverywhere(tookSeconds));
    },
    TIMEOUT_MS,
  );
});
