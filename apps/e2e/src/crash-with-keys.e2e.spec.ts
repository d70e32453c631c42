import { setTimeout as pause } from 'node:timers/promises';
import { type ApiResponse, call } from './client.js';
import { prepareDedicatedProduct } from './dedicated-product.js';
import { type TestUser, loadDemoUser } from './users.js';
import type { WireCreated, WirePayment } from './wire.js';

const KEYS = 100;
const TWINS = 50;
/** All requests of these keys are in flight together: fewer than the gateway accepts at once. */
const KEYS_AT_ONCE = 4;
const KILL_AT_KEY = 40;
/** Statuses after which the caller repeats a request: in progress, unavailable, outcome unknown. */
const TRY_AGAIN = [409, 503, 504];
const TRY_AGAIN_AFTER_MS = 200;
/** Includes the attempts during a restart. */
const MOST_TRIES = 600;

describe('a product that is killed while requests with keys run', () => {
  const product = prepareDedicatedProduct();
  let alice: TestUser;
  let bob: TestUser;

  beforeAll(async () => {
    await product.start();
    [alice, bob] = await Promise.all([loadDemoUser('alice'), loadDemoUser('bob')]);
  }, 120_000);

  afterAll(() => product.close(), 60_000);

  /** Repeats one request until its response is final, as a careful caller does. */
  const sendUntilFinal = async (key: number): Promise<ApiResponse<WireCreated>> => {
    let last: ApiResponse<WireCreated> | null = null;
    for (let tries = 1; tries <= MOST_TRIES; tries += 1) {
      // A call that the kill cuts off has no response.
      last = await call<WireCreated>('/payments', {
        method: 'POST',
        token: alice.token,
        headers: { 'idempotency-key': `order-${key}` },
        form: { user_id: bob.id, note: `order ${key}`, amount: '0.01' },
      }).catch(() => null);
      if (last !== null && !TRY_AGAIN.includes(last.status)) return last;
      await pause(TRY_AGAIN_AFTER_MS);
    }
    throw new Error(`Order ${key} has no final response: ${last?.text}`);
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
  it(`given ${KEYS} keys with ${TWINS} concurrent requests each, when the product is killed, then each key makes one payment and one debit`, async () => {
    const before = [await alice.balanceCents(), await bob.balanceCents()] as const;
    const responses = new Map<number, ApiResponse<WireCreated>[]>();
    let restarted = Promise.resolve();
    let nextKey = 0;
    const caller = async () => {
      while (nextKey < KEYS) {
        const key = (nextKey += 1);
        const twins = Array.from({ length: TWINS }, () => sendUntilFinal(key));
        if (key === KILL_AT_KEY) restarted = Promise.race(twins).then(() => product.kill().then(() => product.start()));
        responses.set(key, await Promise.all(twins));
      }
    };
    await Promise.all(Array.from({ length: KEYS_AT_ONCE }, caller));
    await restarted;

    for (const twins of responses.values()) {
      expect(twins.map(({ status }) => status)).toEqual(Array(TWINS).fill(200));
      expect(new Set(twins.map(({ text }) => text)).size).toBe(1);
      expect(twins.filter(({ headers }) => headers.get('idempotent-replayed') === null).length).toBeLessThanOrEqual(1);
    }
    const ids = [...responses.values()].map(([twin]) => twin?.body.data.payment.id);
    expect(new Set(ids).size).toBe(KEYS);
    const shown = await everyPayment();
    expect(shown.map(({ id, status }) => [id, status]).sort()).toEqual(ids.map((id) => [id, 'settled']).sort());
    expect([await alice.balanceCents(), await bob.balanceCents()]).toEqual([before[0] - KEYS, before[1] + KEYS]);
  }, 240_000);
});
