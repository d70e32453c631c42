import { DEMO_USERS } from '@settle/contracts';
import { call } from './client.js';
import { ownProduct } from './own-product.js';
import { type Person, personNamed, unknownEmail } from './people.js';
import { cents, type WireUser } from './wire.js';

const APP_ORIGIN = 'https://app.example';
const IN_PROGRESS = 8;
/** More than two gateways take at once. */
const AT_ONCE = 120;

describe('a product with settings of its own', () => {
  const product = ownProduct({
    FEE_BPS: '250',
    FEE_FIXED_CENTS: '10',
    MAX_AMOUNT: '20.00',
    CONTACT_VISIBILITY: 'friends',
    CORS_ORIGINS: APP_ORIGIN,
    REQUESTS_IN_PROGRESS: String(IN_PROGRESS),
  });
  let alice: Person;
  let bob: Person;
  let carol: Person;

  beforeAll(async () => {
    await product.start();
    [alice, bob, carol] = await Promise.all([personNamed('alice'), personNamed('bob'), personNamed('carol')]);
  }, 120_000);

  afterAll(() => product.close(), 60_000);

  const balances = () => Promise.all([alice, bob, carol].map((person) => person.balanceCents()));

  // Shows demo-2
  it('given the demo, when nothing has happened yet, then alice has 100.00, bob 50.00 and carol nothing', async () => {
    expect(await balances()).toEqual([100_00, 50_00, 0]);
  });

  // Shows payment-19, act-43
  it('given a pay, then the payer pays the fee on top, rounded half up, and both see it', async () => {
    const [aliceCents = 0, bobCents = 0, carolCents = 0] = await balances();
    const { body } = await bob.send({ user_id: carol.id }, '1.00');
    expect([body.data.payment.status, body.data.payment.amount, body.data.payment.fee]).toEqual(['settled', 1, 0.13]);
    expect(cents(body.data.balance)).toBe(bobCents - 113);
    expect(await balances()).toEqual([aliceCents, bobCents - 113, carolCents + 100]);
    expect((await carol.read(body.data.payment.id)).body.data.fee).toBe(0.13);
  });

  // Shows act-44
  it('given a trusted charge, then the friend who pays it pays the fee', async () => {
    const [aliceCents = 0, bobCents = 0, carolCents = 0] = await balances();
    const { body } = await alice.send({ user_id: bob.id }, '-2.00');
    expect([body.data.payment.status, body.data.payment.amount, body.data.payment.fee]).toEqual(['settled', -2, 0.15]);
    expect(await balances()).toEqual([aliceCents + 200, bobCents - 215, carolCents]);
  });

  it('given a charge that is approved, then the approver pays the fee, which it showed from the start', async () => {
    const [aliceCents = 0, bobCents = 0, carolCents = 0] = await balances();
    const { body } = await carol.send({ user_id: bob.id }, '-1.00');
    const { id, status, fee } = body.data.payment;
    expect([status, fee, cents(body.data.balance)]).toEqual(['pending', 0.13, carolCents]);
    expect((await bob.act(id, 'approve')).body.data.status).toBe('settled');
    expect((await bob.read(id)).body.data).toMatchObject({ status: 'settled', amount: -1, fee: 0.13 });
    expect(await balances()).toEqual([aliceCents, bobCents - 113, carolCents + 100]);
  });

  // Shows act-45
  it('given a held pay that is cancelled, then the fee comes back too, and the refund has none', async () => {
    const before = await bob.balanceCents();
    const { body } = await bob.send({ email: unknownEmail() }, '4.00');
    expect(cents(body.data.balance)).toBe(before - 420);
    await bob.act(body.data.payment.id, 'cancel');
    const { refund } = (await bob.read(body.data.payment.id)).body.data;
    expect([refund?.amount, refund?.fee]).toEqual([4, null]);
    expect(await bob.balanceCents()).toBe(before);
  });

  // Shows act-46
  it('given a balance that covers the amount but not the fee, then the pay fails and nothing moves', async () => {
    const before = await balances();
    const all = before[2] ?? 0;
    const { body } = await carol.send({ user_id: bob.id }, (all / 100).toFixed(2));
    expect([body.data.payment.status, cents(body.data.balance)]).toEqual(['failed', all]);
    expect(await balances()).toEqual(before);
  });

  // Shows parameter-22
  it('given an amount above the maximum, then it is refused; at the maximum it is paid', async () => {
    expect((await alice.send({ user_id: bob.id }, '20.01')).body.error.code).toBe('invalid_amount');
    expect((await alice.send({ user_id: bob.id }, '20.00')).body.data.payment.status).toBe('settled');
  });

  it.each([
    { looks: 'a friend', who: () => alice, sees: true },
    // Shows user-12
    { looks: 'a stranger', who: () => carol, sees: false },
  ])('given contacts for friends alone, when $looks looks, then it sees them: $sees', async ({ who, sees }) => {
    const { body } = await call<WireUser>(`/users/${DEMO_USERS.bob.id}`, { token: who().token });
    expect([body.data.email !== null, body.data.phone !== null]).toEqual([sees, sees]);
  });

  // Shows user-12
  it('given contacts for friends alone, then one’s own are still shown', async () => {
    const { body } = await call<{ user: WireUser }>('/me', { token: bob.token });
    expect([body.data.user.email, body.data.user.phone]).toEqual([bob.email, bob.phone]);
  });

  // Shows request-47
  it.each([
    ['that the operator named', APP_ORIGIN, APP_ORIGIN],
    ['of another site', 'https://evil.example', null],
  ])(
    'given an origin %s, when its script sends a preflight request, then the response says what it may do',
    async (_whose, origin, allowed) => {
      const headers = { origin, 'access-control-request-method': 'POST' };
      const { status, headers: told } = await call('/payments', { method: 'OPTIONS', headers });
      expect([status, told.get('access-control-allow-origin')]).toEqual([204, allowed]);
    },
  );

  // Shows error-44, limit-20
  it('given more requests at once than may be in progress, when they come, then the rest is 503, and not begun', async () => {
    const before = await bob.balanceCents();
    const answers = await Promise.all(Array.from({ length: AT_ONCE }, () => alice.send({ user_id: bob.id }, '0.01')));
    const turnedAway = answers.filter(({ status }) => status !== 200);
    expect(turnedAway.length).toBeGreaterThan(0);
    for (const { status, headers, body } of turnedAway) {
      expect([status, body.error.code, headers.get('retry-after')]).toEqual([503, 'service_unavailable', '1']);
    }
    expect(await bob.balanceCents()).toBe(before + AT_ONCE - turnedAway.length);
  });
});
