import { eventually } from '@settle/testing';
import { requestVerification, awaitCode, pageUrl, signUp } from './sign-up.js';
import { type TestUser, loadDemoUser, unknownEmail, unknownPhone } from './users.js';

let alice: TestUser;
beforeAll(async () => {
  alice = await loadDemoUser('alice');
});

/** Waits until the payment is settled, by the verification of its address. */
const settled = (paymentId: string) =>
  eventually(async () => {
    const { data } = (await alice.read(paymentId)).body;
    expect(data.status).toBe('settled');
    return data;
  });

describe('payments to an address before its owner signs up', () => {
  // Shows endpoint-29, payment-26, create-28, act-36, friend-2, friend-4, demo-10
  it('given a pay to a phone number, when its owner signs up and verifies it, then the owner gets the money', async () => {
    const phone = unknownPhone();
    const made = await alice.send({ phone }, '0.31');
    expect(made.body.data.payment).toMatchObject({ status: 'pending', target: { type: 'phone', phone, user: null } });

    const owner = await signUp({ phone });
    expect(await owner.balanceCents()).toBe(0);
    const page = await owner.browser.open(pageUrl('/account/addresses/phone/code'));
    const proven = await owner.browser.submit(page, { code: await awaitCode(phone) }, 'Continue');
    expect([proven.status, proven.url.pathname, proven.url.search]).toEqual([200, '/account', '?done=proven']);
    expect(proven.html).toContain('identity verified');

    const { target } = await settled(made.body.data.payment.id);
    expect(target).toMatchObject({ type: 'phone', email: null, phone: null, user: { id: owner.id } });
    expect(await owner.balanceCents()).toBe(31);
    const listed = (await owner.list()).body.data;
    expect(listed.map(({ id, status }) => [id, status])).toEqual([[made.body.data.payment.id, 'settled']]);
    const again = await alice.send({ phone }, '0.01');
    expect(again.body.data.payment).toMatchObject({ status: 'settled', target: { user: { id: owner.id } } });
  });

  // Shows act-37, friend-1
  it('given a pay to an e-mail address, when its owner signs up with it, then that verification is enough', async () => {
    const email = unknownEmail();
    const made = await alice.send({ email: email.toUpperCase() }, '0.02');
    const owner = await signUp({ email });
    await settled(made.body.data.payment.id);
    expect(await owner.balanceCents()).toBe(2);
  });

  // Shows act-38, act-42
  it('given a pay and a charge to an address, when a user verifies it by concurrent attempts, then each is claimed once', async () => {
    const owner = await signUp();
    const email = unknownEmail();
    const pay = await alice.send({ email }, '0.05');
    const charge = await alice.send({ email }, '-0.03');
    const page = await requestVerification(owner, 'email', email);
    const code = await awaitCode(email);
    const tries = await Promise.all(Array.from({ length: 20 }, () => owner.browser.submit(page, { code }, 'Continue')));
    expect(tries.some(({ url }) => url.pathname === '/account' && url.search === '?done=proven')).toBe(true);
    expect(tries.filter(({ status }) => status >= 500)).toEqual([]);

    await settled(pay.body.data.payment.id);
    expect(await owner.balanceCents()).toBe(5);
    const approved = await owner.act(charge.body.data.payment.id, 'approve');
    expect([approved.status, approved.body.data.status]).toEqual([200, 'settled']);
    expect(await owner.balanceCents()).toBe(2);
  });

  // Shows act-40
  it('given a pay to an address, when its payer verifies it, then it is cancelled and the money is returned', async () => {
    const payer = await signUp();
    await eventually(async () => expect((await alice.send({ user_id: payer.id }, '0.04')).status).toBe(200));
    const email = unknownEmail();
    const { payment, balance } = (await payer.send({ email }, '0.03')).body.data;
    expect([payment.status, balance]).toEqual(['pending', 0.01]);
    const page = await requestVerification(payer, 'email', email);
    await payer.browser.submit(page, { code: await awaitCode(email) }, 'Continue');
    await eventually(async () => {
      const { status, refund } = (await payer.read(payment.id)).body.data;
      expect([status, refund?.status, refund?.amount]).toEqual(['cancelled', 'settled', 0.03]);
    });
    expect(await payer.balanceCents()).toBe(4);
  });

  // Shows create-29, friend-3
  it('given a verified address of one user, when another user verifies it later, then new payments to it go to the later user', async () => {
    const email = unknownEmail();
    const first = await signUp({ email });
    const second = await signUp();
    const page = await requestVerification(second, 'email', email);
    await second.browser.submit(page, { code: await awaitCode(email, 2) }, 'Continue');
    await eventually(async () => {
      const { payment } = (await alice.send({ email }, '0.01')).body.data;
      expect(payment.target.user?.id).toBe(second.id);
    });
    expect((await first.browser.open(pageUrl('/account'))).html).not.toContain(email);
  });
});
