import { setTimeout as pause } from 'node:timers/promises';
import { type Answer, call } from './client.js';
import { ownProduct } from './own-product.js';
import { type Person, personNamed } from './people.js';
import type { WireCreated, WirePayment } from './wire.js';

const KEYS = 100;
const TWINS = 50;
/** Their twins are all under way together: fewer than the gateway takes at once. */
const KEYS_AT_ONCE = 4;
const KILL_AT_KEY = 40;
/** The errors after which the caller repeats a request: in progress, unavailable, outcome unknown. */
const TRY_AGAIN = [409, 503, 504];
const TRY_AGAIN_AFTER_MS = 200;
/** Those during a restart among them. */
const MOST_TRIES = 600;

describe('a product that is killed while requests with keys run', () => {
  const product = ownProduct();
  let alice: Person;
  let bob: Person;

  beforeAll(async () => {
    await product.start();
    [alice, bob] = await Promise.all([personNamed('alice'), personNamed('bob')]);
  }, 120_000);

  afterAll(() => product.close(), 60_000);

  /** Sends one request until it is answered for good, as a careful caller does. */
  const answered = async (key: number): Promise<Answer<WireCreated>> => {
    let last: Answer<WireCreated> | null = null;
    for (let tries = 1; tries <= MOST_TRIES; tries += 1) {
      // A call that the kill cuts off has no answer.
      last = await call<WireCreated>('/payments', {
        method: 'POST',
        token: alice.token,
        headers: { 'idempotency-key': `order-${key}` },
        form: { user_id: bob.id, note: `order ${key}`, amount: '0.01' },
      }).catch(() => null);
      if (last !== null && !TRY_AGAIN.includes(last.status)) return last;
      await pause(TRY_AGAIN_AFTER_MS);
    }
    throw new Error(`Order ${key} has no answer: ${last?.text}`);
  };

  const everyPayment = async (): Promise<WirePayment[]> => {
    const all: WirePayment[] = [];
    let page = await alice.list({ limit: 50 });
    for (;;) {
      all.push(...page.body.data);
      if (page.body.pagination.next === null) return all;
      page = await call(page.body.pagination.next, { token: alice.token });
    }
  };

  // Shows key-18
  it(`given ${KEYS} keys with ${TWINS} twins each and a kill, then each is one payment and one debit`, async () => {
    const before = [await alice.balanceCents(), await bob.balanceCents()] as const;
    const answers = new Map<number, Answer<WireCreated>[]>();
    let restarted = Promise.resolve();
    let nextKey = 0;
    const caller = async () => {
      while (nextKey < KEYS) {
        const key = (nextKey += 1);
        const twins = Array.from({ length: TWINS }, () => answered(key));
        if (key === KILL_AT_KEY) restarted = Promise.race(twins).then(() => product.kill().then(() => product.start()));
        answers.set(key, await Promise.all(twins));
      }
    };
    await Promise.all(Array.from({ length: KEYS_AT_ONCE }, caller));
    await restarted;

    for (const twins of answers.values()) {
      expect(twins.map(({ status }) => status)).toEqual(Array(TWINS).fill(200));
      expect(new Set(twins.map(({ text }) => text)).size).toBe(1);
      expect(twins.filter(({ headers }) => headers.get('idempotent-replayed') === null).length).toBeLessThanOrEqual(1);
    }
    const ids = [...answers.values()].map(([twin]) => twin?.body.data.payment.id);
    expect(new Set(ids).size).toBe(KEYS);
    const shown = await everyPayment();
    expect(shown.map(({ id, status }) => [id, status]).sort()).toEqual(ids.map((id) => [id, 'settled']).sort());
    expect([await alice.balanceCents(), await bob.balanceCents()]).toEqual([before[0] - KEYS, before[1] + KEYS]);
  }, 240_000);
});
