import { hash, randomUUID } from 'node:crypto';
import type { ActOnPayment, CreatePayment, PaymentTarget, RequestAction, UserRecord } from '@settle/contracts';
import { LedgerLab, type LabInstance } from '../../../test/ledger-lab/ledger-lab.fixture.js';
import { actCommand, anEmail, createCommand, pair, person } from '../../../test/ledger-lab/people.fixture.js';
import { ProcessStopped, StoppingStore } from '../../../test/ledger-lab/stopping-store.fixture.js';
import { losesItsAnswers, stopsBeforeAppending } from '../../../test/commands/idempotency/failing-stores.fixture.js';

const REUSED = { code: 'idempotency_key_reused' };
const IN_PROGRESS = { code: 'idempotency_in_progress' };

/** The requests of one caller under one key: each call is another sending, with ids of its own. */
function request(actor: UserRecord, target: UserRecord | PaymentTarget, about: Partial<CreatePayment> = {}) {
  const key = randomUUID();
  return (change: Partial<CreatePayment> = {}) => {
    const asked = { ...about, ...change };
    const requestHash = hash('sha256', JSON.stringify([target, asked.note ?? '', asked.action ?? 'pay']));
    return createCommand(actor, target, { idempotency: { key, requestHash }, ...asked });
  };
}

function action(actor: UserRecord, paymentId: string, key: string = randomUUID()) {
  return (what: RequestAction): ActOnPayment => {
    const requestHash = hash('sha256', JSON.stringify([paymentId, what]));
    return { ...actCommand(actor, what, paymentId), idempotency: { key, requestHash } };
  };
}

describe('requests with a key', () => {
  let lab: LedgerLab;
  let instances: readonly [LabInstance, LabInstance];
  const alice = person();
  const bob = person();

  beforeAll(async () => {
    lab = await LedgerLab.open();
    instances = [await lab.instance(), await lab.instance()];
    await lab.know(alice, bob);
    await instances[0].fund(alice, 100_000);
  });
  afterAll(() => lab.close());

  const here = (command: CreatePayment) => instances[0].commands.create(command);
  const there = (command: CreatePayment) => instances[1].commands.create(command);
  const keptKeys = async () => Number((await lab.pool.query('select from idempotency_keys')).rowCount);

  it('given a request without a key, when it is answered, then nothing is kept of it', async () => {
    const before = await keptKeys();
    await here(createCommand(alice, bob));
    expect(await keptKeys()).toBe(before);
  });

  // Shows key-17
  it('given an answered request, when it is sent again, to either instance, then it has the first answer', async () => {
    const sent = request(alice, bob);
    const before = await instances[0].balance(alice);
    const first = await here(sent());
    expect(first).not.toHaveProperty('isReplayed');
    await here(createCommand(alice, bob));
    expect(await here(sent())).toEqual({ ...first, isReplayed: true });
    expect(await there(sent())).toEqual({ ...first, isReplayed: true });
    expect(await instances[0].balance(alice)).toBe(before - 200);
  });

  it('given twins at one instance, when both run, then one is answered and the other told that it is in progress', async () => {
    const sent = request(alice, bob);
    const first = here(sent());
    await expect(here(sent())).rejects.toMatchObject(IN_PROGRESS);
    await expect(here(sent({ note: 'another' }))).rejects.toMatchObject(REUSED);
    const answer = await first;
    expect(await here(sent())).toEqual({ ...answer, isReplayed: true });
  });

  it('given an answered request, when it is repeated concurrently, then each gets the response, and none gets `in progress`', async () => {
    const sent = request(alice, bob);
    const first = await here(sent());
    const twins = await Promise.all(Array.from({ length: 20 }, () => here(sent())));
    expect(twins).toEqual(Array(20).fill({ ...first, isReplayed: true }));
  });

  it('given twins at two instances, when they run at once, then it is one payment with one answer', async () => {
    const before = await instances[0].balance(alice);
    const rounds = 10;
    for (let round = 1; round <= rounds; round += 1) {
      const sent = request(alice, bob);
      const [one, other] = await Promise.all([here(sent()), there(sent())]);
      expect([other.payment, other.balanceCents]).toEqual([one.payment, one.balanceCents]);
    }
    expect(await instances[0].balance(alice)).toBe(before - rounds * 100);
  });

  it('given one command delivered twice, when both run, then both have the answer', async () => {
    const command = request(alice, bob)();
    const [one, other] = await Promise.all([here(command), here(command)]);
    expect(other).toEqual(one);
    expect(await there(command)).toEqual({ ...one, isReplayed: false });
  });

  // Shows key-13
  it('given a key, when another request has it, then it is refused, and another app or person has their own', async () => {
    const sent = request(alice, bob);
    const { payment } = await here(sent());
    await expect(there(sent({ note: 'another' }))).rejects.toMatchObject(REUSED);
    expect((await here(sent({ appId: 'another' }))).payment.id).not.toBe(payment.id);
    const others = await here(sent({ actorId: bob.card.id, target: { type: 'user', value: alice.card.id } }));
    expect(others.payment.id).not.toBe(payment.id);
  });

  it('given a refused request, when its key comes with another, then that is done', async () => {
    const sent = request(alice, person());
    await expect(here(sent())).rejects.toMatchObject({ code: 'resource_not_found' });
    const { payment } = await there(sent({ note: 'another', target: { type: 'user', value: bob.card.id } }));
    expect(payment).toMatchObject({ status: 'settled', note: 'another' });
  });

  it('given a pay that failed, when there are funds and it is sent again, then it stays failed', async () => {
    const poor = person();
    await lab.know(poor);
    const sent = request(poor, bob);
    const { payment } = await here(sent());
    expect(payment.status).toBe('failed');
    await instances[0].fund(poor, 1_000);
    expect((await here(sent())).payment).toEqual(payment);
    expect(await instances[0].balance(poor)).toBe(1_000);
  });

  it.each(['PaymentCreated', 'FundsDebited', 'PaymentSettled', 'FundsCredited'])(
    'given a process that stopped after %s, when it is sent again, then that payment is brought on',
    async (step) => {
      let store: StoppingStore | undefined;
      const failing = await lab.instance({ wrapStore: (inner) => (store = new StoppingStore(inner)) });
      const [payer, payee] = [person(), person()];
      await lab.know(payer, payee);
      await instances[0].fund(payer, 1_000);
      const sent = request(payer, payee);
      const first = sent();
      store?.stopAfter(step);
      await expect(failing.commands.create(first)).rejects.toThrow(ProcessStopped);
      await failing.stop();
      await expect(here(sent({ note: 'another' }))).rejects.toMatchObject(REUSED);
      // A started payment is finished, although it could not start now.
      await lab.know({ ...payee, version: 2, isFrozen: true });
      const answer = await here(sent());
      expect(answer.payment).toMatchObject({ id: first.paymentId, status: 'settled' });
      expect(answer.balanceCents).toBe(900);
      expect(await there(sent())).toEqual({ ...answer, isReplayed: true });
    },
  );

  it('given a process that stopped before the payment, when it is sent again, then it is made under the same ids', async () => {
    const failing = await lab.instance({ wrapStore: stopsBeforeAppending });
    const payer = person();
    await lab.know(payer, bob);
    await instances[0].fund(payer, 1_000);
    const sent = request(payer, bob);
    const first = sent();
    await expect(failing.commands.create(first)).rejects.toThrow(ProcessStopped);
    await failing.stop();
    // A refusal now does not free the key: what was begun might still come.
    await lab.know(pair(payer, bob, { version: 1, blocks: true }));
    await expect(here(sent())).rejects.toMatchObject({ code: 'not_permitted' });
    await expect(here(sent({ note: 'another' }))).rejects.toMatchObject(REUSED);
    await lab.know(pair(payer, bob, { version: 2 }));
    const { payment, balanceCents } = await here(sent());
    expect([payment.id, payment.status, balanceCents]).toEqual([first.paymentId, 'settled', 900]);
  });

  // Shows key-18
  it('given an unknown outcome, when it is sent again, then that payment is answered', async () => {
    const unsure = await lab.instance({ wrapStore: losesItsAnswers });
    const sent = request(alice, bob);
    const first = sent();
    const before = await instances[0].balance(alice);
    await expect(unsure.commands.create(first)).rejects.toMatchObject({ code: 'outcome_unknown' });
    await unsure.stop();
    const { payment, balanceCents } = await here(sent());
    expect([payment.id, balanceCents]).toEqual([first.paymentId, before - 100]);
  });

  it('given an id that was taken and a process that stopped, when it is sent again, then the drawn one is found', async () => {
    let store: StoppingStore | undefined;
    const failing = await lab.instance({ wrapStore: (inner) => (store = new StoppingStore(inner)) });
    const payer = person();
    await lab.know(payer, alice, bob);
    await instances[0].fund(payer, 1_000);
    const { payment: taken } = await here(createCommand(alice, bob));
    const sent = request(payer, bob);
    store?.stopAfter('FundsDebited');
    await expect(failing.commands.create(sent({ paymentId: taken.id }))).rejects.toThrow();
    await failing.stop();
    await lab.know({ ...payer, version: 2, isFrozen: true });
    const { payment, balanceCents } = await here(sent());
    expect(payment.status).toBe('settled');
    expect([payment.id === taken.id, balanceCents]).toEqual([false, 900]);
  });

  describe('that act on a payment', () => {
    const charge = async (cents: number, of: UserRecord) =>
      (await instances[0].create(bob, of, { action: 'charge', amountCents: cents })).payment.id;

    it('given an approval, when it is sent again, then it has the first answer, and its key no other action', async () => {
      const id = await charge(100, alice);
      const asked = action(alice, id);
      const first = await instances[0].commands.act(asked('approve'));
      expect(first.status).toBe('settled');
      expect(await instances[1].commands.act(asked('approve'))).toEqual({ ...first, isReplayed: true });
      await expect(instances[1].commands.act(asked('deny'))).rejects.toMatchObject(REUSED);
      const another = await charge(100, alice);
      const elsewhere = action(alice, another, asked('deny').idempotency?.key)('approve');
      await expect(instances[0].commands.act(elsewhere)).rejects.toMatchObject(REUSED);
    });

    it('given twins, when they run at one instance and at two, then it is approved once', async () => {
      const before = await instances[0].balance(alice);
      const asked = action(alice, await charge(100, alice));
      const first = instances[0].commands.act(asked('approve'));
      await expect(instances[0].commands.act(asked('approve'))).rejects.toMatchObject(IN_PROGRESS);
      const other = await instances[1].commands.act(asked('approve'));
      expect([(await first).status, other.status]).toEqual(['settled', 'settled']);
      expect(await instances[1].balance(alice)).toBe(before - 100);
    });

    it('given an approval without funds, when there are some and it is sent again, then it is done', async () => {
      const poor = person();
      await lab.know(poor, bob);
      const asked = action(poor, await charge(500, poor));
      await expect(instances[0].commands.act(asked('approve'))).rejects.toMatchObject({ code: 'insufficient_funds' });
      await instances[0].fund(poor, 500);
      expect((await instances[0].commands.act(asked('approve'))).status).toBe('settled');
    });

    it('given a cancel of a held pay whose process stopped, when it is sent again, then it is cancelled once', async () => {
      let store: StoppingStore | undefined;
      const failing = await lab.instance({ wrapStore: (inner) => (store = new StoppingStore(inner)) });
      await lab.know(alice, bob);
      const { payment } = await instances[0].create(alice, anEmail());
      const asked = action(alice, payment.id);
      store?.stopAfter('PaymentCancelled');
      await expect(failing.commands.act(asked('cancel'))).rejects.toThrow();
      await failing.stop();
      expect((await instances[0].commands.act(asked('cancel'))).refund?.status).toBe('settled');
    });
  });

  it('given all of this, when the ledger is read over, then it is in order', async () => {
    await lab.expectInOrder();
  });
});
