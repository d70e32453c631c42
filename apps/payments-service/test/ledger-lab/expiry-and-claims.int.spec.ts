import { LIMITS } from '@settle/config';
import { usersState, type PaymentTarget, type UserRecord } from '@settle/contracts';
import { eventually } from '@settle/testing';
import { usersStateController } from '../../src/messages/users-state.controller.js';
import { LedgerLab, type LabInstance } from './ledger-lab.fixture.js';
import { anEmail, listQuery, pair, person, proves } from './people.fixture.js';

const MS_PER_DAY = 86_400_000;

describe('payments that end without a command', () => {
  let lab: LedgerLab;
  let instance: LabInstance;
  let aheadMs = 0;
  const open = () => lab.instance({ nowMs: () => Date.now() + aheadMs });

  beforeEach(async () => {
    aheadMs = 0;
    lab = await LedgerLab.open();
    instance = await open();
  });
  afterEach(async () => {
    await lab.expectInOrder();
    await lab.close();
  });

  async function createUser(cents: number, traits: Partial<UserRecord> = {}): Promise<UserRecord> {
    const who = person(traits);
    await lab.know(who);
    if (cents > 0) await instance.fund(who, cents);
    return who;
  }

  async function held(payer: UserRecord, target: PaymentTarget) {
    return (await instance.create(payer, target)).payment;
  }

  // Shows act-21, act-22, act-23, act-24
  it.each(['charge', 'charge of an address', 'held pay', 'trusted charge without funds'])(
    'given a %s, when it is 30 days old, then the worker expires it, and not an hour before',
    async (kind) => {
      const [actor, target] = [await createUser(1_000), await createUser(0)];
      if (kind.startsWith('trusted')) await lab.know(pair(target, actor, { trusts: true }));
      const isToAddress = kind === 'held pay' || kind === 'charge of an address';
      const change = { action: kind === 'held pay' ? ('pay' as const) : ('charge' as const) };
      const { payment } = await instance.create(actor, isToAddress ? anEmail() : target, change);
      expect(payment.status).toBe('pending');
      aheadMs = 30 * MS_PER_DAY - 3_600_000;
      await instance.ledger.worker.runDueWork();
      expect((await instance.view(actor, payment.id)).status).toBe('pending');
      aheadMs = 30 * MS_PER_DAY;
      await instance.ledger.worker.runDueWork();
      await lab.caughtUp();
      const expired = await instance.view(actor, payment.id);
      expect(expired.status).toBe('expired');
      expect(expired.completedAtUs).toBeGreaterThanOrEqual(payment.createdAtUs + 30 * MS_PER_DAY * 1_000);
      expect(expired.refund?.status ?? null).toBe(kind === 'held pay' ? 'settled' : null);
      expect(await instance.balance(actor)).toBe(1_000);
      await expect(instance.act(actor, 'cancel', payment.id)).rejects.toMatchObject({ code: 'payment_not_pending' });
      expect((await lab.pool.query('select from open_work')).rowCount).toBe(0);
    },
  );

  // Shows act-26
  it('given a pay that fell due while nothing ran, when an instance starts, then its worker expires it', async () => {
    const payer = await createUser(1_000);
    const payment = await held(payer, anEmail());
    await instance.stop();
    aheadMs = 100 * MS_PER_DAY;
    const next = await open();
    await next.ledger.worker.runDueWork();
    await lab.caughtUp();
    expect((await next.view(payer, payment.id)).status).toBe('expired');
    expect(await next.balance(payer)).toBe(1_000);
  });

  it('given a held pay whose payer was frozen meanwhile, when it expires, then the money goes back', async () => {
    const payer = await createUser(1_000);
    const payment = await held(payer, anEmail());
    await lab.know({ ...payer, version: 9, isFrozen: true });
    aheadMs = 30 * MS_PER_DAY;
    await instance.ledger.worker.runDueWork();
    await lab.caughtUp();
    expect((await instance.view(payer, payment.id)).refund?.status).toBe('settled');
    expect(await instance.balance(payer)).toBe(1_000);
  });

  it('given more that is due than a round takes, when rounds come, then each takes its bound and the oldest first', async () => {
    const payer = await createUser(100_000);
    const payments = [];
    for (let count = 0; count < LIMITS.payments.workerRows + 3; count += 1) payments.push(await held(payer, anEmail()));
    aheadMs = 30 * MS_PER_DAY;
    const taken: number[] = [];
    for (let round = 1; round <= 3; round += 1) {
      taken.push(await instance.ledger.worker.runDueWork());
      await lab.caughtUp();
      const newest = await Promise.all(payments.slice(-3).map(({ id }) => instance.view(payer, id)));
      expect(newest.map(({ status }) => status)).toEqual(Array(3).fill(round === 1 ? 'pending' : 'expired'));
    }
    expect(taken).toEqual([LIMITS.payments.workerRows, 3, 0]);
  });

  // Shows act-42
  it('given a charge of an address, when it expires, then it stays with the user who had the address then', async () => {
    const [actor, first, second] = [await createUser(0), await createUser(0), await createUser(0)];
    const mail = anEmail();
    const { payment } = await instance.create(actor, mail, { action: 'charge' });
    await lab.know(proves(first, mail, 1));
    aheadMs = 31 * MS_PER_DAY;
    await instance.ledger.worker.runDueWork();
    await lab.caughtUp();
    await lab.know(proves(second, mail, 2));
    expect((await instance.view(first, payment.id)).target.user).toEqual(first.card);
    await expect(instance.view(second, payment.id)).rejects.toMatchObject({ code: 'resource_not_found' });
  });

  // Shows endpoint-29, act-38
  it('given held pays, when the address is proven, then each settles to its owner, once, and is in the list', async () => {
    const [payer, owner] = [await createUser(1_000), await createUser(0)];
    const mail = anEmail();
    const payments = [await held(payer, mail), await held(payer, { type: 'email', value: mail.value.toUpperCase() })];
    const elsewhere = await held(payer, anEmail());
    const record = proves(owner, mail);
    const proven = await instance.ledgers.users.save([record]);
    await Promise.all([instance.ledger.worker.claim(proven), instance.ledger.worker.claim(null)]);
    await instance.ledger.worker.claim(proven);
    await lab.caughtUp();
    expect(await instance.balance(owner)).toBe(200);
    const { payments: shown } = await instance.queries.list(listQuery(owner));
    expect(shown.map(({ id, status }) => [id, status])).toEqual(payments.map(({ id }) => [id, 'settled']).reverse());
    expect(shown[0]?.target).toEqual({ type: 'email', user: owner.card, email: null, phone: null });
    expect((await instance.view(payer, elsewhere.id)).status).toBe('pending');
  });

  it('given a held pay, when the record with the proof arrives, then it settles without a sweep', async () => {
    const [payer, owner] = [await createUser(1_000), await createUser(0)];
    const mail = anEmail();
    const payment = await held(payer, mail);
    await new (usersStateController('spec'))(instance.ledgers).follow([
      { topic: usersState.topic, pattern: usersState.pattern, key: owner.card.id, payload: proves(owner, mail) },
    ]);
    await eventually(async () => expect((await instance.view(payer, payment.id)).status).toBe('settled'));
    expect((await instance.view(owner, payment.id)).target.user).toEqual(owner.card);
  });

  it('given due work, when the worker runs by itself, then it is done, and stopping it ends its rounds', async () => {
    const payer = await createUser(1_000);
    const payment = await held(payer, anEmail());
    aheadMs = 30 * MS_PER_DAY;
    instance.ledger.worker.start();
    await eventually(async () => expect((await instance.view(payer, payment.id)).status).toBe('expired'));
    await instance.ledger.worker.stop();
  });

  // Shows act-39
  it('given a pay created from a copy that does not know the proof yet, when the sweep comes, then it settles', async () => {
    const [payer, owner] = [await createUser(1_000), await createUser(0)];
    const mail = anEmail();
    const { payment } = await instance.create(payer, mail);
    expect(payment.status).toBe('pending');
    // The worker gets no notification: the address was verified before the payment was stored.
    await instance.ledgers.users.save([proves(owner, mail)]);
    await lab.caughtUp();
    await instance.ledger.worker.claim(null);
    await lab.caughtUp();
    expect((await instance.view(owner, payment.id)).status).toBe('settled');
  });

  // Shows act-40
  it('given a held pay, when its payer proves the address, then it is cancelled and the money is back', async () => {
    const payer = await createUser(1_000);
    const mail = anEmail();
    const payment = await held(payer, mail);
    await lab.know(proves(payer, mail));
    await instance.ledger.worker.claim(null);
    await lab.caughtUp();
    const shown = await instance.view(payer, payment.id);
    expect([shown.status, shown.refund?.status, await instance.balance(payer)]).toEqual([
      'cancelled',
      'settled',
      1_000,
    ]);
  });

  // Shows act-41
  it.each(['isFrozen', 'isBusiness'] as const)(
    'given a claimant who %s, when swept, then it waits until that changes',
    async (flag) => {
      const [payer, owner, other] = [await createUser(1_000), await createUser(0), await createUser(0)];
      const [mail, otherMail] = [anEmail(), anEmail()];
      const payment = await held(payer, mail);
      const behind = await held(payer, otherMail);
      const proven = proves(owner, mail);
      await lab.know({ ...proven, [flag]: true }, proves(other, otherMail));
      await instance.ledger.worker.claim(null);
      await lab.caughtUp();
      expect((await instance.view(payer, payment.id)).status).toBe('pending');
      expect((await instance.view(payer, behind.id)).status).toBe('settled');
      await lab.know({ ...proven, version: proven.version + 1 });
      await instance.ledger.worker.claim(null);
      await lab.caughtUp();
      expect((await instance.view(owner, payment.id)).status).toBe('settled');
    },
  );

  it('given more pays to a frozen claimant than a sweep takes, when swept, then others still get theirs', async () => {
    const [payer, owner, other] = [await createUser(100_000), await createUser(0), await createUser(0)];
    const [mail, otherMail] = [anEmail(), anEmail()];
    await Promise.all(Array.from({ length: 510 }, () => held(payer, mail)));
    const behind = await held(payer, otherMail);
    await lab.know({ ...proves(owner, mail), isFrozen: true }, proves(other, otherMail));
    await instance.ledger.worker.claim(null);
    await lab.caughtUp();
    expect((await instance.view(other, behind.id)).status).toBe('settled');
  });
});
