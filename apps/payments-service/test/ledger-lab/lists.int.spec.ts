import {
  PAYMENT_STATUSES,
  compareIds,
  type ListPayments,
  type PaymentView,
  type PaymentsPage,
  type UserRecord,
} from '@settle/contracts';
import fc from 'fast-check';
import { LedgerLab, type LabInstance } from './ledger-lab.fixture.js';
import { anEmail, listQuery, pair, person, proves } from './people.fixture.js';

type Filters = Pick<ListPayments, 'action' | 'actorIds' | 'statuses' | 'afterUs' | 'beforeUs'>;

const NO_FILTERS: Filters = { action: null, actorIds: [], statuses: [], afterUs: null, beforeUs: null };

describe('lists of payments', () => {
  let lab: LedgerLab;
  let instances: readonly [LabInstance, LabInstance];
  const [alice, bob, carol, dave] = [person(), person(), person(), person()] as const;
  const people: readonly UserRecord[] = [alice, bob, carol, dave];
  const ids = new Set<string>();
  /** The clock of both instances stands still between two ticks, so their payments tie. */
  let nowMs = Date.now();

  beforeAll(async () => {
    lab = await LedgerLab.open();
    instances = [await lab.instance({ nowMs: () => nowMs }), await lab.instance({ nowMs: () => nowMs })];
    await lab.know(...people, pair(bob, alice, { trusts: true }));
    for (const who of [alice, bob, carol]) await instances[0].fund(who, 1_000);
    await fill();
  });
  afterAll(() => lab.close());

  /** Every kind of payment, each on both instances at the same microsecond. */
  async function fill(): Promise<void> {
    const [claimed, charged, twice] = [anEmail(), anEmail(), anEmail()];
    for (let round = 0; round < 4; round += 1) {
      await create(alice, bob);
      await create(bob, carol, { action: 'charge' });
      await create(alice, bob, { action: 'charge' });
      await create(dave, alice);
      await create(carol, claimed);
      await create(bob, charged, { action: 'charge' });
      await create(dave, twice, { action: 'charge' });
      const cancelled = await create(alice, anEmail());
      for (const id of cancelled) await instances[0].act(alice, 'cancel', id);
      const [approved] = await create(carol, alice, { action: 'charge' });
      await instances[0].act(alice, 'approve', approved ?? '');
    }
    await lab.know(proves(dave, claimed), proves(proves(alice, charged), twice, 1), proves(bob, twice, 2));
    await instances[0].ledger.worker.claim(null);
    await lab.caughtUp();
  }

  async function create(...command: Parameters<LabInstance['create']>): Promise<string[]> {
    nowMs += 1;
    const answers = await Promise.all(instances.map((instance) => instance.create(...command)));
    for (const { payment } of answers) ids.add(payment.id);
    return answers.map(({ payment }) => payment.id);
  }

  /** Returns the payments that the viewer may read, newest first, each read alone and not from a list. */
  async function model(viewer: UserRecord): Promise<PaymentView[]> {
    const views: PaymentView[] = [];
    for (const id of ids)
      await instances[0].view(viewer, id).then(
        (view) => views.push(view),
        () => undefined,
      );
    return views.sort((one, other) => other.createdAtUs - one.createdAtUs || compareIds(other.id, one.id));
  }

  function matches({ action, actor, status, createdAtUs }: PaymentView, filters: Filters): boolean {
    if (filters.action !== null && action !== filters.action) return false;
    if (filters.actorIds.length > 0 && !filters.actorIds.includes(actor.id)) return false;
    if (filters.statuses.length > 0 && !filters.statuses.includes(status)) return false;
    if (filters.afterUs !== null && createdAtUs <= filters.afterUs) return false;
    return filters.beforeUs === null || createdAtUs < filters.beforeUs;
  }

  const page = (viewer: UserRecord, query: Partial<ListPayments>): Promise<PaymentsPage> =>
    instances[1].queries.list(listQuery(viewer, query));

  /** All pages, one after the other; between two of them `meanwhile` happens. */
  async function pages(
    viewer: UserRecord,
    query: Partial<ListPayments>,
    meanwhile?: () => Promise<unknown>,
  ): Promise<PaymentView[]> {
    const all: PaymentView[] = [];
    let cursor: Partial<ListPayments> | null = {};
    while (cursor !== null) {
      const { payments, next }: PaymentsPage = await page(viewer, { ...query, ...cursor });
      expect(payments.length).toBeLessThanOrEqual(query.limit ?? 50);
      expect(next === null || payments.length === query.limit).toBe(true);
      all.push(...payments);
      cursor = next;
      await meanwhile?.();
    }
    return all;
  }

  it('given payments of every kind, when looked at, then there are ties, claims and charges of proven addresses', async () => {
    const [own, bobs, daves] = [await model(alice), await model(bob), await model(dave)];
    expect(new Set(own.map(({ createdAtUs }) => createdAtUs)).size).toBeLessThan(own.length);
    expect(new Set(own.map(({ status }) => status)).size).toBeGreaterThanOrEqual(4);
    const isCharged = ({ target, status }: PaymentView) => target.type === 'email' && status === 'pending';
    expect(own.filter(isCharged).every(({ actor }) => actor.id === bob.card.id)).toBe(true);
    expect(own.some(isCharged)).toBe(true);
    expect(bobs.some((view) => isCharged(view) && view.actor.id === dave.card.id)).toBe(true);
    expect(daves.some(({ target, status }) => target.type === 'email' && status === 'settled')).toBe(true);
  });

  // Shows endpoint-35
  it('given any filters and page size, when all pages are read, then they are what the model says', async () => {
    const models = new Map<UserRecord, PaymentView[]>();
    for (const who of people) models.set(who, await model(who));
    const times = [...new Set([...models.values()].flat().map(({ createdAtUs }) => createdAtUs))];
    const time = fc.option(
      fc.tuple(fc.constantFrom(...times), fc.integer({ min: -1, max: 1 })).map(([us, off]) => us + off),
    );
    const filters: fc.Arbitrary<Filters> = fc.record({
      action: fc.option(fc.constantFrom('pay' as const, 'charge' as const)),
      // With some named twice, and one who has nothing here.
      actorIds: fc.array(
        fc.constantFrom(...people, person()).map(({ card }) => card.id),
        { maxLength: 4 },
      ),
      statuses: fc.array(fc.constantFrom(...PAYMENT_STATUSES), { maxLength: 4 }),
      afterUs: time,
      beforeUs: time,
    });
    const holds = async (viewer: UserRecord, given: Filters, limit: number) => {
      const expected = (models.get(viewer) ?? []).filter((view) => matches(view, given));
      expect(await pages(viewer, { ...given, limit })).toEqual(expected);
    };
    for (const viewer of people) await holds(viewer, NO_FILTERS, 50);
    await fc.assert(fc.asyncProperty(fc.constantFrom(...people), filters, fc.integer({ min: 1, max: 50 }), holds));
  });

  // Shows list-2, list-10
  it('given a page that ends within a tie, when the next is asked for, then it begins with the rest of the tie', async () => {
    const first = await page(alice, { limit: 1 });
    const second = await page(alice, { limit: 1, ...first.next });
    expect(first.next?.beforeId).toBe(first.payments[0]?.id);
    expect(second.payments[0]?.createdAtUs).toBe(first.payments[0]?.createdAtUs);
    expect(second.next?.beforeId).toBeNull();
  });

  // Shows list-7
  it('given others who write, when pages are read, then what was there before is there once, and nothing twice', async () => {
    const before = await model(alice);
    const read = await pages(alice, { limit: 3 }, () => Promise.all([create(alice, bob), create(bob, alice)]));
    expect(read.map(({ id }) => id)).toEqual(before.map(({ id }) => id));
  });
});
