import { RevisionConflict, StoreUnavailable, type EventStore } from '@settle/event-store';
import { eventually } from '@settle/testing';
import { altered } from '../ledger-lab/altered-store.fixture.js';
import { actCommand } from '../ledger-lab/people.fixture.js';
import { FundingUsersLab, attempt } from './funding-users.fixture.js';

/** A command may store something so long after the time at which it must have begun. */
const GIVEN_UP_AFTER_MS = 800;

describe('commands that are cut off', () => {
  let lab: FundingUsersLab;
  let readEnd: (store: EventStore) => Promise<number>;
  let isCutting: boolean;
  let beforeCut: () => Promise<void>;

  /** Stores only the first append of a unit, as EventStoreDB does when another writer gets in between. */
  const append = (store: EventStore): EventStore['append'] => {
    return async (unit) => {
      const [first, second] = unit;
      if (!isCutting || first === undefined || second === undefined) return store.append(unit);
      isCutting = false;
      await beforeCut();
      await store.append([first]);
      readEnd = () => Promise.reject(new StoreUnavailable('the store does not respond'));
      throw new RevisionConflict(second.stream, second.expectedRevision);
    };
  };

  const pastDeadline = (beginBeforeMs: number) =>
    eventually(() => expect(Date.now()).toBeGreaterThan(beginBeforeMs + GIVEN_UP_AFTER_MS));

  beforeEach(async () => {
    readEnd = (store) => store.newestPosition();
    isCutting = false;
    beforeCut = () => Promise.resolve();
    lab = await FundingUsersLab.open({
      wrapStore: (store) => altered(store, { append: append(store), newestPosition: () => readEnd(store) }),
    });
  });
  afterEach(async () => {
    await lab.expectInOrder();
    await lab.close();
  });

  it('given a payment of which only the creation is stored, when it cannot go on and is sent again, then one is charged', async () => {
    const [{ user }, payee] = [await lab.userWithSource(), await lab.user()];
    const idempotency = { key: 'cut-off', requestHash: 'same' };
    isCutting = true;
    expect(await attempt(lab.instance.create(user, payee, { idempotency }))).toMatchObject({ code: 'outcome_unknown' });
    readEnd = (store) => store.newestPosition();
    const { payment } = await eventually(() => lab.instance.create(user, payee, { idempotency }));
    expect(payment.status).toBe('settled');
    const charged = [...lab.books.charges.keys()].filter((key) => key.includes(`:${user.card.id}:`));
    expect(charged).toEqual([`${payment.id}:${user.card.id}:1`]);
    expect(await lab.balance(payee)).toBe(100);
  });

  it('given an approval of which nothing is stored, when it cannot be decided in time, then it is refused and nothing is charged', async () => {
    const [{ user }, requester] = [await lab.userWithSource(), await lab.user()];
    const { payment } = await lab.instance.create(requester, user, { action: 'charge' });
    const beginBeforeMs = Date.now() + 500;
    readEnd = async (store) => {
      await pastDeadline(beginBeforeMs);
      return store.newestPosition();
    };
    const approval = lab.instance.commands.act(actCommand(user, 'approve', payment.id, { beginBeforeMs }));
    expect(await attempt(approval)).toMatchObject({ code: 'service_unavailable' });
    expect([lab.books.charges.size, (await lab.instance.view(user, payment.id)).status]).toEqual([0, 'pending']);
  });

  it('given an approval of which only the first step is stored, when it cannot go on in time, then its outcome is unknown', async () => {
    const [payer, requester] = [await lab.user(), await lab.user()];
    await lab.book(payer, 100);
    const { payment } = await lab.instance.create(requester, payer, { action: 'charge' });
    const beginBeforeMs = Date.now() + 500;
    [isCutting, beforeCut] = [true, () => pastDeadline(beginBeforeMs)];
    const approval = lab.instance.commands.act(actCommand(payer, 'approve', payment.id, { beginBeforeMs }));
    expect(await attempt(approval)).toMatchObject({ code: 'outcome_unknown' });
    await lab.instance.ledger.transfers.advance(payment.id, null);
    await lab.funding.lab.caughtUp();
    expect((await lab.instance.view(payer, payment.id)).status).toBe('settled');
  });
});
