import type { PaymentView, UserRecord } from '@settle/contracts';
import { LIMITS } from '@settle/config';
import { eventually } from '@settle/testing';
import { ProviderSilent } from '../../src/funding/change-attempts.js';
import type { LabInstance } from '../ledger-lab/ledger-lab.fixture.js';
import { person } from '../ledger-lab/people.fixture.js';
import { SharedOut } from '../ledger-lab/sharing-bus.fixture.js';
import { StoppingStore } from '../ledger-lab/stopping-store.fixture.js';
import { NO_HOLD } from '../ledger-lab/open-charges.fixture.js';
import { ChangesLab } from './changes-lab.fixture.js';

describe('the reader of changes', () => {
  let lab: ChangesLab;
  let payer: UserRecord;
  let payee: UserRecord;

  beforeEach(async () => {
    lab = await ChangesLab.open();
  });
  afterEach(async () => {
    await lab.funding.lab.expectInOrder();
    await lab.close();
  });

  async function start(options: Parameters<ChangesLab['funding']['instance']>[0] = {}): Promise<LabInstance> {
    const instance = await lab.funding.instance({ env: NO_HOLD, ...options });
    ({ payer, payee } = await lab.funding.people());
    return instance;
  }
  const keyOf = ({ id }: PaymentView) => `${id}:${payer.card.id}:1`;

  /** A pay whose charge was approved after its answer. */
  async function payLater(instance: LabInstance): Promise<PaymentView> {
    lab.books.nextCharge = 'pending';
    const { payment } = await instance.create(payer, payee);
    lab.books.decide(keyOf(payment), 'approved');
    return payment;
  }

  it('given a provider that reads from a copy behind its list, when changes are read, then the cursor stays until the copy has the version', async () => {
    const instance = await start();
    const payment = await payLater(instance);
    const { read } = lab.books;
    lab.books.read = async (kind, key) => {
      const object: unknown = await read.call(lab.books, kind, key);
      return { ...(object as object), state: 'pending', version: 1 } as never;
    };
    await expect(lab.read(instance)).rejects.toThrow(/version is 1/);
    expect(await lab.cursor()).toBeNull();
    lab.books.read = read;
    await lab.read(instance);
    expect(await lab.statusOf(instance, payer, payment)).toBe('settled');
  });

  it('given a provider that answers nothing, when changes are read, then the cursor stays, and all are applied once it answers', async () => {
    const instance = await start();
    const payment = await payLater(instance);
    lab.books.isAway = true;
    await expect(lab.read(instance)).rejects.toThrow(ProviderSilent);
    lab.books.isAway = false;
    // It lists changes, and then it goes away before their objects are read.
    const { changesAfter } = lab.books;
    lab.books.changesAfter = async (cursor) => {
      const page = await changesAfter.call(lab.books, cursor);
      lab.books.isAway = true;
      return page;
    };
    for (let attempt = 1; attempt <= LIMITS.provider.changeTries + 2; attempt += 1) {
      lab.books.isAway = false;
      await expect(lab.read(instance)).rejects.toThrow(ProviderSilent);
    }
    expect(await lab.cursor()).toBeNull();
    lab.books.changesAfter = changesAfter;
    lab.books.isAway = false;
    await lab.read(instance);
    expect(await lab.statusOf(instance, payer, payment)).toBe('settled');
    expect(await lab.contradictions()).toEqual({});
  });

  it('given a provider that was away until it is asked once an hour, when it is back, then it is asked about everything at once', async () => {
    const instance = await start();
    lab.books.isAway = true;
    const { payment } = await instance.create(payer, payee);
    await lab.deposit(instance, payer, 'never-sent');
    await lab.funding.later(instance, 400_000);
    await expect(lab.read(instance)).rejects.toThrow(ProviderSilent);
    lab.books.isAway = false;
    await lab.read(instance);
    await lab.funding.later(instance, 0);
    expect(await lab.statusOf(instance, payer, payment)).toBe('failed');
    await instance.ledger.fundingWorker?.runDue();
    expect(await lab.fundingStatus('deposit', 'never-sent')).toBe('failed');
  });

  it('given an object that cannot be read, when it fails ten times, then it is listed and the changes after it are applied', async () => {
    const instance = await start();
    lab.books.changes.push({ kind: 'charge', key: 'gone', version: 1, changed_at: '2027-01-15T08:00:00Z' });
    const same = await payLater(instance);
    const later = await payLater(instance);
    for (let attempt = 1; attempt < LIMITS.provider.changeTries; attempt += 1) {
      await expect(lab.read(instance)).rejects.toThrow('gone');
    }
    // Those of its page are applied at once.
    expect(await lab.statusOf(instance, payer, same)).toBe('settled');
    expect(await lab.statusOf(instance, payer, later)).toBe('pending');
    await lab.read(instance);
    expect(await lab.statusOf(instance, payer, later)).toBe('settled');
    expect(await lab.contradictions()).toEqual({ gone: 'not_applied' });
  });

  it.each([
    'RepaymentRequested',
    'FundsAdded+FundsWithdrawn',
    'ReversalOpened',
    'FundsReversed',
    'WithdrawalReturned',
    'WithdrawalReversed',
  ])('given a reader that stops after %s, when another one reads on, then everything is done once', async (step) => {
    const instance = await start();
    lab.books.nextCharge = 'declined';
    const { payment } = await instance.create(payer, payee);
    lab.books.nextCharge = 'approved';
    await lab.deposit(instance, payer, 'd1');
    await lab.withdraw(instance, payer, 'w1', 200);
    await lab.read(instance);
    lab.books.set('charge', keyOf(payment), 'approved');
    lab.books.add('reversal', 'v1', { state: 'open', amountCents: 300, chargeKey: 'd1' });
    lab.books.set('payout', 'w1', 'returned');
    let store: StoppingStore | undefined;
    const failing = await lab.funding.instance({
      env: NO_HOLD,
      wrapStore: (inner) => (store = new StoppingStore(inner)),
    });
    await lab.funding.lab.know(payer, payee);
    store?.stopAfter(step);
    await expect(lab.read(failing)).rejects.toThrow();
    await failing.stop();
    const before = await lab.cursor();
    expect(Number(before)).toBeLessThan(lab.books.changes.length);
    await lab.read(instance);
    // 500 deposited, 300 reversed; the withdrawal came back, and the late money went back.
    expect(await lab.balance(instance, payer)).toBe(200);
    expect(await lab.contradictions()).toEqual({});
    expect(lab.books.repayments.size).toBe(1);
  });

  it('given a reader that stops before the cursor moves, when the page is applied again, then nothing happens twice', async () => {
    const instance = await start();
    const payment = await payLater(instance);
    const { rows } = await lab.funding.lab.pool.query('update provider_changes set fence = 9 returning cursor');
    expect(rows).toEqual([{ cursor: null }]);
    // A reader with a smaller fence neither reads nor moves the cursor.
    await lab.read(instance);
    expect(await lab.statusOf(instance, payer, payment)).toBe('pending');
    await lab.funding.lab.pool.query('update provider_changes set fence = 0');
    await lab.read(instance);
    const events = await lab.funding.walletEvents(payer);
    await lab.rewind();
    await lab.read(instance);
    expect(await lab.funding.walletEvents(payer)).toEqual(events);
    expect(await lab.statusOf(instance, payer, payment)).toBe('settled');
  });

  it('given two instances, when both run, then one reads the list, and the other takes over when it stops', async () => {
    const instances = [await start(), await start()];
    const readers = instances.map((each) => lab.readers(each).changes);
    for (const reader of readers) reader.start();
    const holders = () => readers.filter(({ behindMs }) => behindMs !== null);
    await eventually(() => Promise.resolve(expect(holders()).toHaveLength(1)));
    const payment = await payLater(instances[0]!);
    const [holder] = holders();
    await holder?.stop();
    await eventually(async () => {
      expect(holders()).toHaveLength(1);
      expect(await lab.statusOf(instances[0]!, payer, payment)).toBe('settled');
    });
    expect(holders()[0]).not.toBe(holder);
  });

  it('given wallets of another instance, when changes are read, then their owner advances what belongs to them', async () => {
    const shared = new SharedOut(() => 1);
    const reader = await lab.funding.instance({ bus: shared.bus(0) });
    const owner = await start({ bus: shared.bus(1) });
    shared.instances.push(reader, owner);
    await lab.funding.lab.know(payer, payee);
    const payment = await payLater(owner);
    await lab.deposit(owner, payer, 'd1');
    await lab.deposit(owner, payer, 'd2');
    lab.books.set('charge', 'd1', 'approved');
    lab.books.decide('d2', 'approved');
    lab.books.nextCharge = 'declined';
    await lab.deposit(owner, payer, 'd3');
    lab.books.set('charge', 'd3', 'approved');
    lab.books.add('reversal', 'v1', { state: 'open', amountCents: 300, chargeKey: 'd2' });
    await lab.read(reader);
    expect(await lab.statusOf(owner, payer, payment)).toBe('settled');
    expect(await lab.balance(owner, payer)).toBe(700);
    // The owner's wallet is as the reader has left it.
    await owner.create(payer, payee, { amountCents: 700 });
    expect(await lab.balance(owner, payer)).toBe(0);
  });

  it('given hints, when they are applied, then each is marked; one that fails delays neither the others nor the list', async () => {
    const instance = await start();
    const payment = await payLater(instance);
    const store = (id: string, key: string, version: number) =>
      lab.funding.lab.pool.query(
        `insert into provider_hints (id, kind, key, version, received_at) values ($1, 'charge', $2, $3, now())`,
        [id, key, version],
      );
    await store('bad', 'gone', 1);
    await store('h1', keyOf(payment), 2);
    await store('h2', keyOf(payment), 1);
    const { hints } = lab.readers(instance);
    const open = async () =>
      (await lab.funding.lab.pool.query('select id from provider_hints where handled_at is null')).rows;
    for (let attempt = 1; attempt < LIMITS.provider.changeTries; attempt += 1) {
      await hints.readBatch();
      expect(await open()).toEqual([{ id: 'bad' }]);
    }
    expect(await lab.statusOf(instance, payer, payment)).toBe('settled');
    await hints.readBatch();
    expect(await open()).toEqual([]);
    expect(await lab.contradictions()).toEqual({});
    lab.books.set('charge', keyOf(payment), 'approved');
    await store('h3', keyOf(payment), 3);
    lab.books.isAway = true;
    await expect(hints.readBatch()).rejects.toThrow(ProviderSilent);
    expect(await open()).toEqual([{ id: 'h3' }]);
    lab.books.isAway = false;
    await hints.readBatch();
    expect(await open()).toEqual([]);
  });

  it('given a person without a source, when nothing changes at the provider, then reading the list stores nothing', async () => {
    const instance = await start();
    await lab.funding.lab.know(person());
    await lab.read(instance);
    expect((await lab.funding.lab.pool.query('select from events')).rowCount).toBe(0);
  });
});
