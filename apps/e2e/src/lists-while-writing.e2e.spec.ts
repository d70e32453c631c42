import { call } from './client.js';
import { type TestUser, loadDemoUser } from './users.js';
import type { WirePayment } from './wire.js';

const PAYMENTS = 1_000;
const CLIENTS = 20;
/** One for each reader. Small pages end between payments of the same moment more often. */
const PAGE_SIZES = [7, 13, 20, 29, 37, 44, 50, 50];

describe('lists during writes', () => {
  let alice: TestUser;
  let bob: TestUser;
  let since: string;
  /** In the order of the responses. */
  const acknowledged: WirePayment[] = [];

  beforeAll(async () => {
    [alice, bob] = await Promise.all([loadDemoUser('alice'), loadDemoUser('bob')]);
    since = (await alice.send({ user_id: bob.id }, '0.02')).body.data.payment.date_created;
  });

  /** Pays back and forth as one of many clients, so that no wallet runs out of money. */
  async function write(): Promise<void> {
    for (let made = 0; made < PAYMENTS / CLIENTS; made += 1) {
      const [payer, payee] = made % 2 === 0 ? [alice, bob] : [bob, alice];
      const { body } = await payer.send({ user_id: payee.id }, '0.01');
      acknowledged.push(body.data.payment);
    }
  }

  /** Reads the whole list and resolves with its faults. */
  async function read(reader: TestUser, limit: number): Promise<string[]> {
    const before = acknowledged.map(({ id }) => id);
    const seen: string[] = [];
    let page = await reader.list({ limit, after: since });
    seen.push(...page.body.data.map(({ id }) => id));
    while (page.body.pagination.next !== null) {
      page = await call<WirePayment[]>(page.body.pagination.next, { token: reader.token });
      seen.push(...page.body.data.map(({ id }) => id));
    }
    const once = new Set(seen);
    const missing = before.filter((id) => !once.has(id)).map((id) => `${id} was acknowledged and is missing`);
    return once.size === seen.length ? missing : [...missing, `${seen.length - once.size} were there twice`];
  }

  // Shows list-7
  it('given 20 clients that pay, when 8 readers page through the list, then each acknowledged payment is listed once and none twice', async () => {
    let isWriting = true;
    const readers = PAGE_SIZES.map(async (limit, at) => {
      const wrong: string[] = [];
      for (let isLast = false; !isLast;) {
        isLast = !isWriting;
        wrong.push(...(await read(at % 2 === 0 ? alice : bob, limit)));
      }
      return wrong;
    });
    await Promise.all(Array.from({ length: CLIENTS }, write)).finally(() => (isWriting = false));
    expect((await Promise.all(readers)).flat()).toEqual([]);
    expect(new Set(acknowledged.map(({ id }) => id)).size).toBe(PAYMENTS);
    const milliseconds = new Set(acknowledged.map(({ date_created }) => date_created.slice(0, -4)));
    expect(milliseconds.size).toBeLessThan(PAYMENTS);
  }, 180_000);
});
