import { DEMO_USERS, SCOPES } from '@settle/contracts';
import { eventually } from '@settle/testing';
import { type Answer, call } from './client.js';
import { pageAt, signedInBrowser } from './developer.js';
import { ownProduct } from './own-product.js';
import { type Person, personNamed, personWith } from './people.js';
import { newBrowser, signIn } from './sign-in.js';
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

  // Shows limit-13
  it('given 600 charges to a stranger, when sent as fast as can be, then 20 are pending and the rest is 429', async () => {
    const { admitted, refused } = await sendMany(ATTACK_CHARGES, () => alice.send({ user_id: carol.id }, '-0.01'));
    expect(new Set(admitted.map(({ body }) => body.data.payment.status))).toEqual(new Set(['pending']));
    expect(admitted).toHaveLength(PENDING_PER_PAIR);
    refused.forEach(expectLimited);
    const { body } = await carol.list({ status: 'pending', actor: alice.id, limit: 50 });
    expect(body.data).toHaveLength(PENDING_PER_PAIR);
    expect((await bob.send({ user_id: carol.id }, '-0.01')).status).toBe(200);
  });

  // Shows limit-19
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

  // Shows limit-16
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

  // Shows limit-18
  it('given an amount a day that bob lets alice charge, when charges exceed it, then they are pending, and a changed amount counts once it is confirmed', async () => {
    const browser = await signedInBrowser('bob');
    const trustUpTo = async (amount: string) => {
      const page = await browser.submit(
        await browser.open(pageAt('/account/friends')),
        { amount_per_day: amount },
        'Save',
      );
      expect(page.url.search).toBe('?done=saved');
    };
    const charge = async (amount: string) =>
      (await alice.send({ user_id: bob.id }, `-${amount}`)).body.data.payment.status;
    await trustUpTo('0.05');
    expect([await charge('0.03'), await charge('0.03')]).toEqual(['settled', 'pending']);
    await trustUpTo('0.06');
    expect([await charge('0.01'), await charge('0.01')]).toEqual(['settled', 'settled']);
    await trustUpTo('0.05');
    expect(await charge('0.01')).toBe('pending');
    await trustUpTo('');
    await eventually(async () => expect(await charge('0.01')).toBe('settled'));
  });

  describe('with an amount a day that bob typed when he allowed an app', () => {
    const browser = newBrowser();
    let limited: Person;
    const refusalOf = ({ status, body }: Answer<unknown>) => [status, body.error.code];
    const setAmount = async (amount: string) => {
      const page = await browser.open(pageAt('/account/apps'));
      const form = page.forms.find(({ action }) => action.endsWith('/account/apps/amount'))!;
      const fields = new URLSearchParams({ ...form.fields, amount_per_day: amount });
      return browser.send(new URL(form.action, page.url), 'POST', fields);
    };

    beforeAll(async () => {
      const consent = await signIn(browser, 'bob', { scope: SCOPES.join(' ') });
      const back = await browser.submit(consent, { amount_per_day: '5.00' }, 'Allow');
      limited = personWith({ ...DEMO_USERS.bob, token: back.url.searchParams.get('access_token') ?? '' });
    });

    // Shows limit-17
    it('given pays at once, when they reach it, then the rest is 403 and moves nothing, and an approval is as well', async () => {
      const beforeCents = await limited.balanceCents();
      const { admitted, refused } = await sendMany(20, () => limited.send({ user_id: carol.id }, '0.70'));
      expect(admitted).toHaveLength(7);
      for (const answer of refused) expect(refusalOf(answer)).toEqual([403, 'not_permitted']);
      expect(refused[0]?.body.error.message).toContain('Connected apps');
      expect(await limited.balanceCents()).toBe(beforeCents - 490);
      const request = await carol.send({ user_id: bob.id }, '-0.11');
      const { id } = request.body.data.payment;
      expect(refusalOf(await limited.act(id, 'approve'))).toEqual([403, 'not_permitted']);
      expect((await limited.read(id)).body.data.status).toBe('pending');
      // Another user of the same app is not limited.
      expect((await carol.send({ user_id: bob.id }, '0.01')).status).toBe(200);
    });

    // Shows limit-17
    it('given a token that is out, when bob changes the amount, then it counts for that token at once, and a refused key is free', async () => {
      const pay = () =>
        call<WireCreated>('/payments', {
          method: 'POST',
          token: limited.token,
          form: { user_id: carol.id, amount: '0.70', note: 'lunch' },
          headers: { 'idempotency-key': 'above-the-amount' },
        });
      expect(refusalOf(await pay())).toEqual([403, 'not_permitted']);
      expect((await setAmount('nothing')).status).toBe(400);
      expect((await setAmount('6')).url.search).toBe('?done=saved');
      const paid = await eventually(async () => {
        const answer = await pay();
        expect(answer.status).toBe(200);
        return answer;
      });
      expect(paid.body.data.payment.status).toBe('settled');
      await setAmount('5.60');
      const cent = () => limited.send({ user_id: carol.id }, '0.01');
      await eventually(async () => expect(refusalOf(await cent())).toEqual([403, 'not_permitted']));
      await setAmount('');
      await eventually(async () => expect((await cent()).status).toBe(200));
    });
  });
});
