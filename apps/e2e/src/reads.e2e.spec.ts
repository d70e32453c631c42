import { type TestUser, loadDemoUser, unknownEmail } from './users.js';
import { cents } from './wire.js';

const ROUNDS = 60;

describe('reads after a response', () => {
  let alice: TestUser;
  let bob: TestUser;
  let carol: TestUser;

  beforeAll(async () => {
    [alice, bob, carol] = await Promise.all([loadDemoUser('alice'), loadDemoUser('bob'), loadDemoUser('carol')]);
  });

  // Shows endpoint-28, endpoint-45
  it('given a pay, when the response arrives, then both parties read it at once, alone and in their lists', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const [payer, payee] = round % 2 === 0 ? [alice, bob] : [bob, alice];
      const payeeBefore = await payee.balanceCents();
      const { body } = await payer.send({ user_id: payee.id }, '0.02');
      const { payment, balance } = body.data;
      const [mine, theirs, myList, theirList, myCents, theirCents] = await Promise.all([
        payer.read(payment.id),
        payee.read(payment.id),
        payer.list({ limit: 1 }),
        payee.list({ limit: 1 }),
        payer.balanceCents(),
        payee.balanceCents(),
      ]);
      expect([mine.body.data, theirs.body.data]).toEqual([payment, payment]);
      expect([myList.body.data[0]?.id, theirList.body.data[0]?.id]).toEqual([payment.id, payment.id]);
      expect([myCents, theirCents]).toEqual([cents(balance), payeeBefore + 2]);
    }
  });

  // Shows endpoint-45
  it('given a charge, when it is ended, then both parties read its end at once', async () => {
    const endings = ['approve', 'deny', 'cancel'] as const;
    for (let round = 0; round < ROUNDS; round += 1) {
      const action = endings[round % 3] ?? 'deny';
      const { body } = await bob.send({ user_id: alice.id }, '-0.01');
      const { id } = body.data.payment;
      expect((await alice.list({ status: 'pending', limit: 1 })).body.data[0]?.id).toBe(id);
      const ended = await (action === 'cancel' ? bob : alice).act(id, action);
      const [mine, theirs] = await Promise.all([bob.read(id), alice.read(id)]);
      expect(mine.body.data).toMatchObject(ended.body.data);
      expect(theirs.body.data).toEqual(mine.body.data);
      expect((await alice.list({ status: 'pending', limit: 1 })).body.data[0]?.id).not.toBe(id);
    }
  });

  // Shows act-32
  it('given a held pay, when it is cancelled, then balance and refund are readable at once', async () => {
    for (let round = 0; round < ROUNDS / 3; round += 1) {
      const before = await bob.balanceCents();
      const { body } = await bob.send({ email: unknownEmail() }, '0.07');
      expect(cents(body.data.balance)).toBe(before - 7);
      await bob.act(body.data.payment.id, 'cancel');
      const [original, after] = await Promise.all([bob.read(body.data.payment.id), bob.balanceCents()]);
      expect([original.body.data.refund?.status, after]).toEqual(['settled', before]);
    }
  });

  // Shows endpoint-45
  it('given concurrent payments, when each response arrives, then its reader sees the payment', async () => {
    const seen = await Promise.all(
      Array.from({ length: 100 }, async (_, at) => {
        const [payer, payee] = at % 2 === 0 ? [alice, carol] : [alice, bob];
        const { body } = await payer.send({ user_id: payee.id }, '0.01');
        const read = await payee.read(body.data.payment.id);
        return read.status === 200 && read.body.data.status === 'settled';
      }),
    );
    expect(seen.filter((each) => !each)).toEqual([]);
  });
});
