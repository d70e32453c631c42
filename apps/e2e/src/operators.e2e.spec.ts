import { beside } from './beside-product.fixture.js';
import { type Person, personNamed, unknownEmail } from './people.js';

const TABLES = ['payments', 'ledger_entries', 'fee_entries', 'open_work'];
/** Of all payers together. `OPERATORS_LOAD_SECONDS` makes the load longer. */
const PAYMENTS_PER_SECOND = 100;
const LOAD_SECONDS = Number(process.env.OPERATORS_LOAD_SECONDS ?? 3);

describe('commands of an operator beside the running product', () => {
  let alice: Person;
  let bob: Person;

  beforeAll(async () => {
    [alice, bob] = await Promise.all([personNamed('alice'), personNamed('bob')]);
  });

  /** Payments and charges to and fro, each read again by its other side; resolves with what was not answered well. */
  async function load(isOver: () => boolean): Promise<{ paid: number; refused: unknown[] }> {
    const refused: unknown[] = [];
    const running = new Set<Promise<void>>();
    const one = async (index: number) => {
      const [actor, target] = index % 2 === 0 ? [alice, bob] : [bob, alice];
      const isHeld = index % 10 === 3;
      const sent = await actor.send(isHeld ? { email: unknownEmail() } : { user_id: target.id }, 0.01);
      if (sent.status !== 200) return void refused.push(sent.text);
      const { id } = sent.body.data.payment;
      if (isHeld) {
        const cancelled = await actor.act(id, 'cancel');
        if (cancelled.status !== 200) refused.push(cancelled.text);
      }
      const read = await (isHeld ? actor : target).read(id);
      if (read.status !== 200) refused.push(read.text);
    };
    let paid = 0;
    for (const beganAtMs = performance.now(); !isOver(); paid += 1) {
      const payment = one(paid).catch((error: unknown) => void refused.push(error));
      running.add(payment);
      void payment.finally(() => running.delete(payment));
      const nextAtMs = beganAtMs + ((paid + 1) * 1_000) / PAYMENTS_PER_SECOND;
      await new Promise((resolve) => setTimeout(resolve, nextAtMs - performance.now()));
    }
    await Promise.all(running);
    return { paid, refused };
  }

  it('given 100 payments/s, when every read model is rebuilt meanwhile, then no request fails and all rows are equal', async () => {
    const before = (await alice.balanceCents()) + (await bob.balanceCents());
    const endsAtMs = performance.now() + LOAD_SECONDS * 1_000;
    let isRebuilt = false;
    const loading = load(() => isRebuilt && performance.now() > endsAtMs);
    const told: string[] = [];
    while (told.length === 0 || performance.now() < endsAtMs) told.push(await beside('projections', 'rebuild', 'all'));
    isRebuilt = true;
    const { paid, refused } = await loading;
    expect(refused).toEqual([]);
    expect(paid).toBeGreaterThan(LOAD_SECONDS * 20);
    for (const text of told) {
      for (const table of TABLES) expect(text).toMatch(new RegExp(`, ${table}: live .*; 0 rows differ`));
      expect(text).toMatch(/^Switched at position \d+/m);
    }
    expect((await alice.balanceCents()) + (await bob.balanceCents())).toBe(before);
  }, 120_000);

  it('given the read models, when listed, then each table is there and none is behind', async () => {
    const lines = (await beside('projections')).trim().split('\n');
    expect(lines.slice(1).map((line) => line.split(/\s+/)[1])).toEqual(TABLES);
    for (const line of lines.slice(1)) expect(line).toMatch(/ 0$/);
  });

  it('given all that, when the ledger is verified, then every kind is in order', async () => {
    const text = await beside('ledger', 'verify');
    for (const kind of ['wallets', 'transit', 'fees', 'funding', 'read models', 'topic']) {
      expect(text).toMatch(new RegExp(`^${kind}: in order$`, 'm'));
    }
    const looksAtTopic = process.env.E2E_SHAPE === 'embedded' ? /^topic: not looked at/m : /^topic: [1-9]\d* records$/m;
    expect(text).toMatch(looksAtTopic);
  });
});
