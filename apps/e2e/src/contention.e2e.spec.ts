import { eventually } from '@settle/testing';
import { payDownTo, type TestUser, loadDemoUser } from './users.js';
import { cents } from './wire.js';

describe('concurrent payments', () => {
  let alice: TestUser;
  let bob: TestUser;
  let carol: TestUser;

  beforeAll(async () => {
    [alice, bob, carol] = await Promise.all([loadDemoUser('alice'), loadDemoUser('bob'), loadDemoUser('carol')]);
  });

  // Shows payment-14, create-30
  it('given two wallets with enough money, when 200 payments cross, then 200 settle and the sum is unchanged', async () => {
    await alice.send({ user_id: bob.id }, '20.00');
    await bob.send({ user_id: alice.id }, '10.00');
    const before = [await alice.balanceCents(), await bob.balanceCents()] as const;
    expect(Math.min(...before)).toBeGreaterThanOrEqual(500);
    const responses = await Promise.all(
      Array.from({ length: 200 }, (_, at) => {
        const [payer, payee] = at % 2 === 0 ? [alice, bob] : [bob, alice];
        return payer.send({ user_id: payee.id }, '0.05', { note: `cross ${at}` });
      }),
    );
    expect(responses.filter(({ status, body }) => status !== 200 || body.data.payment.status !== 'settled')).toEqual(
      [],
    );
    expect(new Set(responses.map(({ body }) => body.data.payment.id)).size).toBe(200);
    // One instance makes all payments of a wallet.
    const ofAlice = responses.map(({ body }) => body.data.payment).filter(({ actor }) => actor.id === alice.id);
    expect(new Set(ofAlice.map(({ date_created }) => date_created)).size).toBe(100);
    // Responses do not wait for read models that are more than 2 s behind.
    await eventually(async () => expect([await alice.balanceCents(), await bob.balanceCents()]).toEqual(before));
  });

  // Shows create-30
  it('given a wallet with money for ten payments, when it pays fifty at once, then exactly ten settle and the rest fail', async () => {
    await payDownTo(0, carol, { user_id: bob.id });
    await alice.send({ user_id: carol.id }, '10.99');
    const bobBefore = await bob.balanceCents();

    const responses = await Promise.all(Array.from({ length: 50 }, () => carol.send({ user_id: bob.id }, '1.00')));
    expect(responses.filter(({ status }) => status !== 200)).toEqual([]);
    const statuses = responses.map(({ body }) => body.data.payment.status);
    expect(statuses.filter((status) => status === 'settled').length).toBe(10);
    expect(statuses.filter((status) => status === 'failed').length).toBe(40);
    expect(responses.filter(({ body }) => cents(body.data.balance) < 0)).toEqual([]);
    expect([await carol.balanceCents(), await bob.balanceCents()]).toEqual([99, bobBefore + 1000]);
    await carol.send({ user_id: bob.id }, '0.99');
  });

  // Shows act-16
  it('given one pending charge, when approve and cancel race, then one wins and money moves at most once', async () => {
    for (let round = 0; round < 40; round += 1) {
      const before = [await alice.balanceCents(), await carol.balanceCents()] as const;
      const made = await carol.send({ user_id: alice.id }, '-0.01');
      const { id } = made.body.data.payment;
      const [approved, cancelled] = await Promise.all([alice.act(id, 'approve'), carol.act(id, 'cancel')]);
      expect([approved.status, cancelled.status].sort()).toEqual([200, 409]);
      const moved = approved.status === 200 ? 1 : 0;
      expect((await alice.read(id)).body.data.status).toBe(moved === 1 ? 'settled' : 'cancelled');
      expect([await alice.balanceCents(), await carol.balanceCents()]).toEqual([before[0] - moved, before[1] + moved]);
    }
  });

  // Shows act-17
  it('given one pending charge, when it is approved many times at once, then it is paid once', async () => {
    const before = await alice.balanceCents();
    const made = await carol.send({ user_id: alice.id }, '-0.03');
    const responses = await Promise.all(
      Array.from({ length: 8 }, () => alice.act(made.body.data.payment.id, 'approve')),
    );
    expect(responses.map(({ status }) => status)).toEqual(Array(8).fill(200));
    expect(await alice.balanceCents()).toBe(before - 3);
  });
});
