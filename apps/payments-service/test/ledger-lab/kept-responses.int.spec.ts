import type { PaymentsPage, UserRecord } from '@settle/contracts';
import { eventually } from '@settle/testing';
import { rebuildReadModels } from '../../src/operators/rebuild.js';
import { LedgerLab, type LabInstance } from './ledger-lab.fixture.js';
import { rebuildParts } from './rebuild-parts.fixture.js';
import { anEmail, listQuery, pair, person, proves } from './people.fixture.js';

describe('responses that the embedded shape keeps', () => {
  let lab: LedgerLab;
  /** Keeps responses. */
  let only: LabInstance;
  /** Reads the tables for each response. */
  let reader: LabInstance;
  let alice: UserRecord;
  let bob: UserRecord;
  let carol: UserRecord;
  let address = anEmail();

  beforeEach(async () => {
    lab = await LedgerLab.open();
    address = anEmail();
    only = await lab.instance({ isOnlyInstance: true });
    reader = await lab.instance();
    [alice, bob, carol] = [person(), person(), person()];
    await lab.know(alice, bob, carol);
    await only.fund(alice, 1_000);
    await only.create(alice, bob);
  });
  afterEach(() => lab.close());

  const page = (viewer: UserRecord, instance = only): Promise<PaymentsPage> => instance.queries.list(listQuery(viewer));
  const everything = (instance: LabInstance) =>
    Promise.all([alice, bob, carol].map(async (who) => [await page(who, instance), await instance.balance(who)]));

  /** Keeps what everyone sees, does something, and compares what everyone sees then with the tables. */
  async function expectCurrentAfter(change: () => Promise<unknown>): Promise<void> {
    await everything(only);
    const before = await page(alice);
    expect(await page(alice)).toBe(before);
    await change();
    expect(await everything(only)).toEqual(await everything(reader));
  }

  it('given a kept page, when nothing on it changes, then it is the same object, also while others pay', async () => {
    const [before, other] = [await page(alice), await page(alice, reader)];
    await only.fund(carol, 100);
    await only.create(carol, bob);
    expect(await page(alice)).toBe(before);
    expect(before).toEqual(other);
    expect(await only.queries.list(listQuery(alice, { limit: 1 }))).not.toBe(before);
  });

  it('given kept pages, when a payment is made and changes its state, then both parties see it at once', async () => {
    let charge = '';
    await expectCurrentAfter(async () => (charge = (await only.create(bob, alice, { action: 'charge' })).payment.id));
    expect((await page(alice)).payments[0]).toMatchObject({ id: charge, status: 'pending' });
    await expectCurrentAfter(() => only.act(alice, 'approve', charge));
    expect((await page(bob)).payments[0]).toMatchObject({ id: charge, status: 'settled' });
    expect(await only.balance(bob)).toBe(await reader.balance(bob));
  });

  it('given kept pages, when a party is renamed, then every page that names them shows it', async () => {
    const renamed = { ...bob, version: 2, card: { ...bob.card, displayName: 'Bob Renamed' } };
    await expectCurrentAfter(() => lab.know(renamed));
    expect((await page(alice)).payments[0]?.target.user?.displayName).toBe('Bob Renamed');
  });

  it('given kept pages, when one party blocks the other, then they are as the tables have them', async () => {
    await expectCurrentAfter(() => lab.know(pair(bob, alice, { version: 2, blocks: true })));
  });

  it('given a pending charge to an address, when its owner changes, then it is in the list of the new owner alone', async () => {
    await expectCurrentAfter(() => only.create(alice, address, { action: 'charge' }));
    await expectCurrentAfter(() => lab.know((carol = proves(carol, address, 1))));
    expect((await page(carol)).payments).toHaveLength(1);
    const owner = proves(bob, address, 2);
    await expectCurrentAfter(() => lab.know(owner));
    expect([await page(carol), await page(bob)].map(({ payments }) => payments.length)).toEqual([0, 2]);
    expect((await page(alice)).payments[0]?.target.user?.id).toBe(bob.card.id);
    // The address belongs to the user who had verified it before.
    await expectCurrentAfter(() => lab.know({ ...owner, version: owner.version + 1, addresses: [] }));
    expect((await page(carol)).payments).toHaveLength(1);
    expect((await page(alice)).payments[0]?.target.user?.id).toBe(carol.card.id);
  });

  it('given a pending charge to an address, when it is cancelled, then the list of its owner shows that', async () => {
    const { payment } = await only.create(alice, address, { action: 'charge' });
    await lab.know((carol = proves(carol, address, 1)));
    await expectCurrentAfter(() => only.act(alice, 'cancel', payment.id));
    expect((await page(carol)).payments.map(({ status }) => status)).toEqual(['cancelled']);
  });

  it('given a kept page, when an operator replaces the tables, then it shows the new ones', async () => {
    await lab.caughtUp();
    await lab.pool.query(`update payments set note = 'damaged'`);
    const damaged = await page(alice);
    expect(damaged.payments[0]?.note).toBe('damaged');
    const order = { models: ['payments'], environment: 'live', acceptsDifferences: true } as const;
    expect(await page(alice)).toBe(damaged);
    await rebuildReadModels(rebuildParts(lab, reader.store), order);
    await eventually(async () => expect((await page(alice)).payments[0]?.note).not.toBe('damaged'));
  });

  it('given an instance that no longer writes the read models, when a page is read, then it is read from the tables', async () => {
    const before = await page(alice);
    await only.ledger.projector.stop();
    expect(await page(alice)).not.toBe(before);
    expect(await page(alice)).toEqual(before);
  });
});
