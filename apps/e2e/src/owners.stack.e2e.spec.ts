import { eventually } from '@settle/testing';
import { call } from './client.js';
import { type TestUser, loadDemoUser } from './users.js';
import { gatewayUrls, stackStatus } from './running-stack.fixture.js';
import { CommandRepeater, findOwners } from './wallet-commands.fixture.js';
import { cents, type WireCreated, type WireMe, type WirePayment } from './wire.js';

const ONE_BY_ONE = 60;
const AT_ONCE = 240;
const IN_FLIGHT = 12;
const REPEATED_PAYMENTS = 30;

let alice: TestUser;
let bob: TestUser;
let carol: TestUser;
let gateways: string[];
let brokers: readonly string[];

beforeAll(async () => {
  [alice, bob, carol] = await Promise.all([loadDemoUser('alice'), loadDemoUser('bob'), loadDemoUser('carol')]);
  [gateways, { brokers }] = await Promise.all([gatewayUrls(), stackStatus().then(({ kafka }) => kafka)]);
  await alice.send({ user_id: carol.id }, '3.00');
  await alice.send({ user_id: bob.id }, '3.00');
});

/** In turn each user pays each other one, and another gateway reads the payment than creates it. */
function turn(round: number) {
  const users = [alice, bob, carol];
  const payer = users[round % 3] as TestUser;
  const payee = users[(round + 1 + (Math.floor(round / 3) % 2)) % 3] as TestUser;
  const paysAt = gateways[round % gateways.length] ?? '';
  const readsAt = gateways[(round + 1) % gateways.length] ?? '';
  return { payer, payee, paysAt, readsAt };
}

async function pay({ payer, payee, paysAt }: ReturnType<typeof turn>): Promise<WireCreated> {
  const form = { user_id: payee.id, amount: '0.01', note: 'across' };
  const { body } = await call<WireCreated>(`${paysAt}/payments`, { method: 'POST', token: payer.token, form });
  return body.data;
}

async function balanceCents({ token }: TestUser, gateway: string): Promise<number> {
  return cents((await call<WireMe>(`${gateway}/me`, { token })).body.data.balance ?? NaN);
}

const readPayment = ({ token }: TestUser, gateway: string, id: string) =>
  call<WirePayment>(`${gateway}/payments/${id}`, { token });

describe('wallets of different owners, read through different gateways', () => {
  it('given the stack, when the owners are looked up, then no two of the three wallets have the same', async () => {
    expect(new Set(await findOwners(brokers, [alice.id, bob.id, carol.id])).size).toBe(3);
    expect(new Set(gateways).size).toBe(2);
  });

  it('given a pay, when one gateway has responded, then the other returns it and both balances at once', async () => {
    for (let round = 0; round < ONE_BY_ONE; round += 1) {
      const { payer, payee, readsAt, ...rest } = turn(round);
      const before = await balanceCents(payee, readsAt);
      const { payment, balance } = await pay({ payer, payee, readsAt, ...rest });
      const [mine, theirs, theirList, myCents, theirCents] = await Promise.all([
        readPayment(payer, readsAt, payment.id),
        readPayment(payee, readsAt, payment.id),
        call<WirePayment[]>(`${readsAt}/payments`, { token: payee.token, query: { limit: 1 } }),
        balanceCents(payer, readsAt),
        balanceCents(payee, readsAt),
      ]);
      expect([payment.status, mine.body.data.id, theirs.body.data.id]).toEqual(['settled', payment.id, payment.id]);
      expect([mine.body.data.status, theirs.body.data.status]).toEqual(['settled', 'settled']);
      expect(theirList.body.data[0]?.id).toBe(payment.id);
      expect([myCents, theirCents]).toEqual([cents(balance), before + 1]);
    }
  });

  it('given concurrent payments, when each response arrives, then the other gateway returns the payment to the payee at once', async () => {
    const sumBalancesCents = () => Promise.all([alice, bob, carol].map((user) => user.balanceCents()));
    const before = (await sumBalancesCents()).reduce((sum, one) => sum + one, 0);
    const rounds = Array.from({ length: AT_ONCE }, (_, round) => round).values();
    const unseen: string[] = [];
    const client = async () => {
      for (const round of rounds) {
        const { payee, readsAt, ...rest } = turn(round);
        const { payment } = await pay({ payee, readsAt, ...rest });
        const read = await readPayment(payee, readsAt, payment.id);
        if (read.status !== 200 || read.body.data.status !== 'settled') unseen.push(`${payment.id} ${read.text}`);
      }
    };
    await Promise.all(Array.from({ length: IN_FLIGHT }, client));
    expect(unseen).toEqual([]);
    expect((await sumBalancesCents()).reduce((sum, one) => sum + one, 0)).toBe(before);
  });
});

describe('commands that Kafka delivers twice', () => {
  let repeater: CommandRepeater;

  beforeAll(async () => {
    repeater = new CommandRepeater(brokers);
    await repeater.start();
  });
  afterAll(() => repeater.stop());

  // Shows payment-4
  it('given pays and approvals, when each is delivered again, then each has moved money once', async () => {
    const before = await Promise.all([alice.balanceCents(), bob.balanceCents()]);
    const ids: string[] = [];
    for (let made = 0; made < REPEATED_PAYMENTS; made += 1) {
      ids.push((await alice.send({ user_id: bob.id }, '0.01')).body.data.payment.id);
      const charge = (await alice.send({ user_id: carol.id }, '-0.01')).body.data.payment.id;
      expect((await carol.act(charge, 'approve')).status).toBe(200);
      ids.push(charge);
      ids.push((await alice.send({ user_id: carol.id }, '0.01')).body.data.payment.id);
    }
    await eventually(() => expect(repeater.repeated).toBeGreaterThanOrEqual(4 * REPEATED_PAYMENTS));
    await repeater.waitUntilConsumed();

    const after = await Promise.all([alice.balanceCents(), bob.balanceCents()]);
    expect(after).toEqual([(before[0] ?? 0) - REPEATED_PAYMENTS, (before[1] ?? 0) + REPEATED_PAYMENTS]);
    expect(await newestIdsOf(alice, ids.length)).toEqual([...ids].reverse());
  });
});

async function newestIdsOf(user: TestUser, count: number): Promise<string[]> {
  let page = await user.list({ limit: 50 });
  const found = page.body.data.map(({ id }) => id);
  while (found.length < count && page.body.pagination.next !== null) {
    page = await call<WirePayment[]>(page.body.pagination.next, { token: user.token });
    found.push(...page.body.data.map(({ id }) => id));
  }
  return found.slice(0, count);
}
