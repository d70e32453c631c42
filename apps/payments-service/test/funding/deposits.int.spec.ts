import { randomUUID } from 'node:crypto';
import { eventually } from '@settle/testing';
import { FundingUsersLab, attempt } from './funding-users.fixture.js';

describe('deposits', () => {
  let lab: FundingUsersLab;
  beforeAll(async () => {
    lab = await FundingUsersLab.open();
  });
  beforeEach(() => lab.reset());
  afterEach(() => lab.expectInOrder());
  afterAll(() => lab.close());

  it('given a charge that is approved, when a deposit is requested, then it is settled and the balance has it', async () => {
    const { user, sourceKey } = await lab.userWithSource();
    const fundingId = randomUUID();
    const item = await lab.deposit(user, sourceKey, 500, fundingId);
    const shown = { kind: 'deposit', id: fundingId, amountCents: 500, status: 'settled', reason: null };
    expect(item).toMatchObject({ ...shown, paymentId: null, nextAction: null, canCancel: false });
    const overview = await lab.overview(user);
    expect(overview).toMatchObject({ isAvailable: true, isLive: false, balanceCents: 500, withdrawableCents: 0 });
    expect(overview.items).toEqual([item]);
  });

  it('given a charge that is declined, when a deposit is requested, then it has failed for that reason', async () => {
    const { user, sourceKey } = await lab.userWithSource();
    lab.books.nextCharge = 'declined';
    const item = await lab.deposit(user, sourceKey);
    expect(item).toMatchObject({ status: 'failed', reason: 'other' });
    expect((await lab.overview(user)).items).toEqual([item]);
    expect(await lab.balance(user)).toBe(0);
  });

  it('given a charge that is pending, when it is approved later, then the worker settles the deposit', async () => {
    const { user, sourceKey } = await lab.userWithSource();
    lab.books.nextCharge = 'pending';
    const { id, status } = await lab.deposit(user, sourceKey);
    expect([status, await lab.balance(user)]).toEqual(['pending', 0]);
    lab.books.decide(id, 'approved');
    await lab.later(3_000);
    expect(await lab.overview(user)).toMatchObject({ balanceCents: 500, items: [{ id, status: 'settled' }] });
  });

  it('given a charge that is decided, when its owner is asked to advance the deposit, then it is settled', async () => {
    const { user, sourceKey } = await lab.userWithSource();
    lab.books.nextCharge = 'pending';
    const { id: fundingId } = await lab.deposit(user, sourceKey);
    lab.books.decide(fundingId, 'approved');
    await lab.instance.funding.advance({ userId: user.card.id, kind: 'deposit', fundingId });
    expect(await lab.balance(user)).toBe(500);
  });

  it('given a charge of the provider that the log does not know, when a deposit has its id, then it is refused', async () => {
    const { user, sourceKey } = await lab.userWithSource();
    const fundingId = randomUUID();
    await lab.instance.ledger.fundingUnits?.contradictions.record(fundingId, 'unknown_key');
    await expect(lab.deposit(user, sourceKey, 500, fundingId)).rejects.toMatchObject({ code: 'not_permitted' });
    expect(lab.books.charges.has(fundingId)).toBe(false);
  });

  it('given a charge that the user must confirm, when it waits, then its page is shown until it is decided, and the user is notified', async () => {
    const { user, sourceKey } = await lab.userWithSource();
    Object.assign(lab.books, { nextCharge: 'action_required', page: 'http://127.0.0.1/confirm' });
    const item = await lab.deposit(user, sourceKey);
    expect(item).toMatchObject({ status: 'pending', nextAction: { url: 'http://127.0.0.1/confirm' } });
    expect((await lab.overview(user)).items).toEqual([item]);
    await eventually(() => expect(lab.notified).toEqual([{ userId: user.card.id, chargeKey: item.id }]));
    lab.books.decide(item.id, 'approved');
    await lab.later(3_000);
    expect((await lab.overview(user)).items).toMatchObject([{ status: 'settled', nextAction: null }]);
  });

  it('given a charge that is pending, when the list of changes says that the user must confirm it, then its page is shown, and the user is notified', async () => {
    const { user, sourceKey } = await lab.userWithSource();
    lab.books.nextCharge = 'pending';
    const { id, nextAction } = await lab.deposit(user, sourceKey);
    expect([nextAction, lab.notified]).toEqual([null, []]);
    lab.books.page = 'http://127.0.0.1/confirm';
    lab.books.set('charge', id, 'action_required');
    await lab.readChanges();
    expect((await lab.overview(user)).items).toMatchObject([{ id, nextAction: { url: 'http://127.0.0.1/confirm' } }]);
    // Each answer requests the e-mail, which auth-service sends once.
    await eventually(() => expect(lab.notified).toContainEqual({ userId: user.card.id, chargeKey: id }));
    lab.books.decide(id, 'approved');
    await lab.readChanges();
    expect(await lab.balance(user)).toBe(500);
  });

  it('given no answer of auth-service, when a charge must be confirmed, then the deposit is answered, and the next answer of the provider notifies', async () => {
    const { user, sourceKey } = await lab.userWithSource();
    Object.assign(lab.books, { nextCharge: 'action_required', page: 'http://127.0.0.1/confirm' });
    lab.isAuthAway = true;
    const item = await lab.deposit(user, sourceKey);
    expect([item.status, lab.notified]).toEqual(['pending', []]);
    lab.isAuthAway = false;
    await lab.later(3_000);
    await eventually(() => expect(lab.notified).toEqual([{ userId: user.card.id, chargeKey: item.id }]));
  });

  it('given a provider that is slow, when a deposit is requested, then it is pending after the wait, and settled once the answer comes', async () => {
    const { user, sourceKey } = await lab.userWithSource();
    const release = lab.books.hold();
    expect((await lab.deposit(user, sourceKey)).status).toBe('pending');
    release();
    await eventually(async () => expect(await lab.balance(user)).toBe(500));
  });

  it('given a deposit, when it is delivered again, also at once, then it is charged once and the answer is the same', async () => {
    const { user, sourceKey } = await lab.userWithSource();
    const fundingId = randomUUID();
    const send = () => lab.deposit(user, sourceKey, 30_000, fundingId);
    const answers = [...(await Promise.all([send(), send(), send()])), await send()];
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set(['settled']));
    expect(await lab.balance(user)).toBe(30_000);
  });

  it('given a deposit, when its id comes with other content, then that is not permitted', async () => {
    const { user, sourceKey } = await lab.userWithSource();
    const { id } = await lab.deposit(user, sourceKey);
    const other = await lab.userWithSource();
    const refused = [
      () => lab.deposit(user, sourceKey, 501, id),
      () => lab.deposit(other.user, other.sourceKey, 500, id),
      () => lab.deposit(user, other.sourceKey, 500, id),
    ];
    for (const each of refused) expect(await attempt(each())).toMatchObject({ code: 'not_permitted' });
    expect(await lab.balance(user)).toBe(500);
    expect(await lab.balance(other.user)).toBe(0);
  });

  it('given a source of another user, one that ended, or a frozen user, when a deposit is requested, then it is refused', async () => {
    const [{ user, sourceKey }, other] = [await lab.userWithSource(), await lab.userWithSource()];
    expect(await attempt(lab.deposit(user, other.sourceKey))).toMatchObject({ code: 'not_permitted' });
    await lab.instance.funding.end({ userId: user.card.id, sourceKey });
    expect(await attempt(lab.deposit(user, sourceKey))).toMatchObject({ code: 'not_permitted' });
    await lab.funding.lab.know({ ...other.user, version: 3, isFrozen: true });
    expect(await attempt(lab.deposit(other.user, other.sourceKey))).toMatchObject({ code: 'account_frozen' });
  });

  it('given a command that waited too long, when it arrives, then nothing is begun', async () => {
    const { user, sourceKey } = await lab.userWithSource();
    const command = { fundingId: randomUUID(), userId: user.card.id, sourceKey, amountCents: 1 };
    const late = lab.instance.funding.deposit({ ...command, beginBeforeMs: Date.now() - 1 });
    expect(await attempt(late)).toMatchObject({ code: 'service_unavailable' });
    expect((await lab.overview(user)).items).toEqual([]);
  });

  it('given a card from before there was a provider, when it is charged, then the provider decides', async () => {
    const user = await lab.user({ fundingSourceId: 'test-card-1' });
    expect(await lab.deposit(user, 'test-card-1')).toMatchObject({ status: 'settled' });
  });

  it('given many items, when they are read by pages, then each comes once, newest first', async () => {
    const { user, sourceKey } = await lab.userWithSource();
    const ids: string[] = [];
    for (let count = 0; count < 5; count += 1) ids.unshift((await lab.deposit(user, sourceKey, 100)).id);
    const read: string[] = [];
    for (let beforeUs: number | null | undefined = null; beforeUs !== undefined;) {
      const { items, nextBeforeUs } = await lab.overview(user, beforeUs, 2);
      read.push(...items.map(({ id }) => id));
      beforeUs = nextBeforeUs ?? undefined;
    }
    expect(read).toEqual(ids);
  });
});
