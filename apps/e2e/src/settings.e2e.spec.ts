import { DEMO_USERS } from '@settle/contracts';
import { call } from './client.js';
import { prepareDedicatedProduct } from './dedicated-product.js';
import { type TestUser, loadDemoUser, unknownEmail } from './users.js';
import { cents, type WireUser } from './wire.js';

const APP_ORIGIN = 'https://app.example';
const IN_PROGRESS = 8;
/** More requests than two gateways accept at once. */
const AT_ONCE = 120;

describe('a product with other settings', () => {
  const product = prepareDedicatedProduct({
    FEE_BPS: '250',
    FEE_FIXED_CENTS: '10',
    MAX_AMOUNT: '20.00',
    CONTACT_VISIBILITY: 'friends',
    CORS_ORIGINS: APP_ORIGIN,
    REQUESTS_IN_PROGRESS: String(IN_PROGRESS),
  });
  let alice: TestUser;
  let bob: TestUser;
  let carol: TestUser;

  beforeAll(async () => {
    await product.start();
    [alice, bob, carol] = await Promise.all([loadDemoUser('alice'), loadDemoUser('bob'), loadDemoUser('carol')]);
  }, 120_000);

  afterAll(() => product.close(), 60_000);

  const balances = () => Promise.all([alice, bob, carol].map((user) => user.balanceCents()));

  // Shows demo-2
  it('given the demo, when nothing has happened yet, then alice has 100.00, bob 50.00 and carol nothing', async () => {
    expect(await balances()).toEqual([100_00, 50_00, 0]);
  });

  // Shows payment-19, act-43
  it('given a pay, when it settles, then the payer pays the fee on top, rounded half up, and both see it', async () => {
    const [aliceCents = 0, bobCents = 0, carolCents = 0] = await balances();
    const { body } = await bob.send({ user_id: carol.id }, '1.00');
    expect([body.data.payment.status, body.data.payment.amount, body.data.payment.fee]).toEqual(['settled', 1, 0.13]);
    expect(cents(body.data.balance)).toBe(bobCents - 113);
    expect(await balances()).toEqual([aliceCents, bobCents - 113, carolCents + 100]);
    expect((await carol.read(body.data.payment.id)).body.data.fee).toBe(0.13);
  });

  // Shows act-44
  it('given a trusted charge, when it settles, then the friend who pays it pays the fee', async () => {
    const [aliceCents = 0, bobCents = 0, carolCents = 0] = await balances();
    const { body } = await alice.send({ user_id: bob.id }, '-2.00');
    expect([body.data.payment.status, body.data.payment.amount, body.data.payment.fee]).toEqual(['settled', -2, 0.15]);
    expect(await balances()).toEqual([aliceCents + 200, bobCents - 215, carolCents]);
  });

  it('given a charge, when it is approved, then the approver pays the fee, which it showed from the start', async () => {
    const [aliceCents = 0, bobCents = 0, carolCents = 0] = await balances();
    const { body } = await carol.send({ user_id: bob.id }, '-1.00');
    const { id, status, fee } = body.data.payment;
    expect([status, fee, cents(body.data.balance)]).toEqual(['pending', 0.13, carolCents]);
    expect((await bob.act(id, 'approve')).body.data.status).toBe('settled');
    expect((await bob.read(id)).body.data).toMatchObject({ status: 'settled', amount: -1, fee: 0.13 });
    expect(await balances()).toEqual([aliceCents, bobCents - 113, carolCents + 100]);
  });

  // Shows act-45
  it('given a held pay, when it is cancelled, then the fee is returned too and the refund has none', async () => {
    const before = await bob.balanceCents();
    const { body } = await bob.send({ email: unknownEmail() }, '4.00');
    expect(cents(body.data.balance)).toBe(before - 420);
    await bob.act(body.data.payment.id, 'cancel');
    const { refund } = (await bob.read(body.data.payment.id)).body.data;
    expect([refund?.amount, refund?.fee]).toEqual([4, null]);
    expect(await bob.balanceCents()).toBe(before);
  });

  // Shows act-46
  it('given a balance that covers the amount but not the fee, when a pay is sent, then it fails and nothing moves', async () => {
    const before = await balances();
    const all = before[2] ?? 0;
    const { body } = await carol.send({ user_id: bob.id }, (all / 100).toFixed(2));
    expect([body.data.payment.status, cents(body.data.balance)]).toEqual(['failed', all]);
    expect(await balances()).toEqual(before);
  });

  // Shows parameter-22
  it('given the maximum amount, when it is exceeded, then the payment is rejected; at the maximum it is paid', async () => {
    expect((await alice.send({ user_id: bob.id }, '20.01')).body.error.code).toBe('invalid_amount');
    expect((await alice.send({ user_id: bob.id }, '20.00')).body.data.payment.status).toBe('settled');
  });

  it.each([
    { looks: 'a friend', who: () => alice, sees: true },
    // Shows user-12
    { looks: 'another user', who: () => carol, sees: false },
  ])(
    'given contacts for friends alone, when $looks reads the user, then they are visible: $sees',
    async ({ who, sees }) => {
      const { body } = await call<WireUser>(`/users/${DEMO_USERS.bob.id}`, { token: who().token });
      expect([body.data.email !== null, body.data.phone !== null]).toEqual([sees, sees]);
    },
  );

  // Shows user-12
  it('given contacts for friends alone, when the owner reads them, then they are visible', async () => {
    const { body } = await call<{ user: WireUser }>('/me', { token: bob.token });
    expect([body.data.user.email, body.data.user.phone]).toEqual([bob.email, bob.phone]);
  });

  // Shows request-47
  it.each([
    ['of the settings', APP_ORIGIN, APP_ORIGIN],
    ['of another site', 'https://evil.example', null],
  ])(
    'given an origin %s, when its script sends a preflight request, then the response names what is allowed',
    async (_whose, origin, allowed) => {
      const headers = { origin, 'access-control-request-method': 'POST' };
      const { status, headers: told } = await call('/payments', { method: 'OPTIONS', headers });
      expect([status, told.get('access-control-allow-origin')]).toEqual([204, allowed]);
    },
  );

  // Shows error-44, limit-20
  it('given more concurrent requests than the limit, when they are sent, then the rest gets 503 and is not executed', async () => {
    const before = await bob.balanceCents();
    const responses = await Promise.all(Array.from({ length: AT_ONCE }, () => alice.send({ user_id: bob.id }, '0.01')));
    const turnedAway = responses.filter(({ status }) => status !== 200);
    expect(turnedAway.length).toBeGreaterThan(0);
    for (const { status, headers, body } of turnedAway) {
      expect([status, body.error.code, headers.get('retry-after')]).toEqual([503, 'service_unavailable', '1']);
    }
    expect(await bob.balanceCents()).toBe(before + AT_ONCE - turnedAway.length);
  });
});
