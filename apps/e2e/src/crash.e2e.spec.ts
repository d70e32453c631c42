import { call } from './client.js';
import { prepareDedicatedProduct } from './dedicated-product.js';
import { type TestUser, loadDemoUser, unknownEmail } from './users.js';
import type { WirePayment } from './wire.js';

const KILLS = 10;
const CLIENTS = 8;
/** The balances of alice and bob. Alice's source adds nothing while her balance covers her payments. */
const FUNDING_CENTS = 150_00;
const LOAD_BEFORE_KILL = 60;

describe('a product that is killed under load', () => {
  const product = prepareDedicatedProduct();
  let users: TestUser[];

  /** The status in each response with 200, by payment id. */
  const acknowledged = new Map<string, string>();
  let recordResponse = () => {};

  beforeAll(async () => {
    await product.start();
    users = await Promise.all([loadDemoUser('alice'), loadDemoUser('bob'), loadDemoUser('carol')]);
  }, 120_000);

  afterAll(() => product.close(), 60_000);

  /** The users in turn pay the next one, or an address without an owner, a cent. Records the responses. */
  const client = async (number: number, isOver: () => boolean) => {
    for (let sent = 0; !isOver(); sent += 1) {
      const payer = users[(number + sent) % users.length] as TestUser;
      const payee = users[(number + sent + 1) % users.length] as TestUser;
      const target = sent % 7 === 6 ? { email: unknownEmail() } : { user_id: payee.id };
      // A call that the kill cuts off has no response, so nothing was acknowledged.
      const response = await payer.send(target, '0.01', { note: `client ${number}` }).catch(() => null);
      if (response?.status !== 200) continue;
      acknowledged.set(response.body.data.payment.id, response.body.data.payment.status);
      recordResponse();
    }
  };

  const killUnderLoad = async () => {
    let isOver = false;
    const enough = acknowledged.size + LOAD_BEFORE_KILL;
    const isLoaded = new Promise<void>((resolve) => {
      recordResponse = () => (acknowledged.size >= enough ? resolve() : undefined);
    });
    const clients = Array.from({ length: CLIENTS }, (_, number) => client(number, () => isOver));
    await isLoaded;
    await product.kill();
    isOver = true;
    await Promise.all(clients);
  };

  const everything = async (user: TestUser): Promise<WirePayment[]> => {
    const all: WirePayment[] = [];
    let page = await user.list({ limit: 50 });
    for (;;) {
      all.push(...page.body.data);
      if (page.body.pagination.next === null) return all;
      page = await call(page.body.pagination.next, { token: user.token });
    }
  };

  /** Returns the money of pending pays, which is in no wallet. */
  const heldCents = (payments: ReadonlyMap<string, WirePayment>) =>
    [...payments.values()].filter(({ status, action }) => status === 'pending' && action === 'pay').length;

  /** The worker finishes steps that a kill cut off. Until then money is in transit. */
  const waitUntilTransfersEnd = async () => {
    const deadline = performance.now() + 60_000;
    for (;;) {
      const found = new Map((await Promise.all(users.map(everything))).flat().map((one) => [one.id, one]));
      const balances = await Promise.all(users.map((user) => user.balanceCents()));
      const sumBalancesCents = balances.reduce((sum, each) => sum + each, 0) + heldCents(found);
      const isDone = [...found.values()].every(({ status, target }) => status !== 'pending' || target.user === null);
      if ((isDone && sumBalancesCents === FUNDING_CENTS) || performance.now() > deadline)
        return { found, balances, sumBalancesCents };
    }
  };

  // Shows create-31, act-19
  it(`given payments under load, when the product is killed ${KILLS} times, then every acknowledged payment exists once and no cent is missing`, async () => {
    for (let kill = 0; kill < KILLS; kill += 1) {
      await killUnderLoad();
      await product.start();
    }
    const { found, balances, sumBalancesCents } = await waitUntilTransfersEnd();
    const differing = [...acknowledged].filter(([id, status]) => found.get(id)?.status !== status);
    expect(differing).toEqual([]);
    for (const user of users) {
      const ids = (await everything(user)).map(({ id }) => id);
      expect(new Set(ids).size).toBe(ids.length);
    }
    expect(Math.min(...balances)).toBeGreaterThanOrEqual(0);
    expect(sumBalancesCents).toBe(FUNDING_CENTS);
    expect(acknowledged.size).toBeGreaterThanOrEqual(KILLS * LOAD_BEFORE_KILL);

    // Each balance must be the sum of the wallet's payments, which shows a payment that moved money twice.
    const begun = [100_00, 50_00, 0];
    users.forEach((user, at) => {
      const moved = [...found.values()].reduce((sum, { status, actor, target }) => {
        const out = actor.id === user.id && (status === 'settled' || status === 'pending') ? 1 : 0;
        const into = target.user?.id === user.id && status === 'settled' ? 1 : 0;
        return sum - out + into;
      }, begun[at] ?? 0);
      expect(balances[at]).toBe(moved);
    });
  }, 240_000);
});
