import { type Answer, call } from './client.js';
import { ownProduct } from './own-product.js';
import { type Person, personNamed } from './people.js';
import type { WireCreated } from './wire.js';

const ATTACK_CHARGES = 600;
const AT_ONCE = 50;
const PENDING_PER_PAIR = 20;

describe('a product that holds users to their limits', () => {
  /** The limits of tokens and addresses are out of the way: what is refused here is refused to the user. */
  const product = ownProduct({
    RATE_LIMITS: 'on',
    RATE_LIMIT_TOKEN_PER_SECOND: '100000',
    RATE_LIMIT_TOKEN_BURST: '100000',
    RATE_LIMIT_ADDRESS_PER_SECOND: '100000',
    RATE_LIMIT_ADDRESS_BURST: '100000',
    AMOUNT_PER_DAY: '20.00',
  });
  let alice: Person;
  let bob: Person;
  let carol: Person;

  beforeAll(async () => {
    await product.start();
    [alice, bob, carol] = await Promise.all([personNamed('alice'), personNamed('bob'), personNamed('carol')]);
  }, 120_000);
  afterAll(() => product.close(), 60_000);

  async function sendMany(count: number, send: (index: number) => Promise<Answer<WireCreated>>) {
    const answers: Answer<WireCreated>[] = [];
    for (let sent = 0; sent < count; sent += AT_ONCE) {
      const batch = Array.from({ length: Math.min(AT_ONCE, count - sent) }, (_, index) => send(sent + index));
      answers.push(...(await Promise.all(batch)));
    }
    return {
      admitted: answers.filter(({ status }) => status === 200),
      refused: answers.filter(({ status }) => status !== 200),
    };
  }

  const expectLimited = ({ status, body, headers }: Answer<unknown>) => {
    expect([status, body.error.code]).toEqual([429, 'rate_limited']);
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
  };

  it('given 600 charges to a stranger, when sent as fast as can be, then 20 are pending and the rest is 429', async () => {
    const { admitted, refused } = await sendMany(ATTACK_CHARGES, () => alice.send({ user_id: carol.id }, '-0.01'));
    expect(new Set(admitted.map(({ body }) => body.data.payment.status))).toEqual(new Set(['pending']));
    expect(admitted).toHaveLength(PENDING_PER_PAIR);
    refused.forEach(expectLimited);
    const { body } = await carol.list({ status: 'pending', actor: alice.id, limit: 50 });
    expect(body.data).toHaveLength(PENDING_PER_PAIR);
    expect((await bob.send({ user_id: carol.id }, '-0.01')).status).toBe(200);
  });

  it('given a charge with a key that was refused, when there is room and it is sent again, then it is done', async () => {
    const charge = () =>
      call<WireCreated>('/payments', {
        method: 'POST',
        token: alice.token,
        form: { user_id: carol.id, amount: '-0.02', note: 'again' },
        headers: { 'idempotency-key': 'refused-first' },
      });
    expectLimited(await charge());
    const { body } = await carol.list({ status: 'pending', actor: alice.id, limit: 1 });
    expect((await carol.act(body.data[0]?.id ?? '', 'deny')).status).toBe(200);
    const done = await charge();
    expect([done.status, done.headers.get('idempotent-replayed')]).toEqual([200, null]);
    expect((await charge()).headers.get('idempotent-replayed')).toBe('true');
  });

  it('given an amount a day, when pays and approvals reach it, then more of either is 429 and moves nothing', async () => {
    const request = await bob.send({ user_id: alice.id }, '-15.00');
    expect((await alice.act(request.body.data.payment.id, 'approve')).status).toBe(200);
    expect((await alice.send({ user_id: bob.id }, '5.00')).status).toBe(200);
    const balanceCents = await alice.balanceCents();
    expectLimited(await alice.send({ user_id: bob.id }, '0.01'));
    const more = await bob.send({ user_id: alice.id }, '-0.01');
    expectLimited(await alice.act(more.body.data.payment.id, 'approve'));
    expect(await alice.balanceCents()).toBe(balanceCents);
    expect((await alice.read(more.body.data.payment.id)).body.data.status).toBe('pending');
  });
});
