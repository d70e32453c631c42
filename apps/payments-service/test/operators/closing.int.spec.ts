import { InMemoryEventStore } from '@settle/event-store';
import { createLogger } from '@settle/observability';
import { closeAccount } from '../../src/operators/closing/close-account.js';
import { eraseTexts } from '../../src/operators/closing/erase-texts.js';
import { findMoneyInFlight } from '../../src/operators/closing/money-in-flight.js';
import { endPendingRequests } from '../../src/operators/closing/end-pending.js';
import { rebuildReadModels } from '../../src/operators/rebuild.js';
import { READ_MODEL_NAMES } from '../../src/read-models/registry.js';
import { LedgerLab, type LabInstance } from '../ledger-lab/ledger-lab.fixture.js';
import { anEmail, person, proves } from '../ledger-lab/people.fixture.js';

const NOTE = 'Rent for the old flat';
const PLAIN_NOTE = 'From before encryption began';

describe('closing an account in the ledger', () => {
  let lab: LedgerLab;
  let instance: LabInstance;
  const email = anEmail();
  const [leaver, friend] = [proves(person(), email), person()];
  const userId = leaver.card.id;

  beforeAll(async () => {
    lab = await LedgerLab.open({ isEncrypted: true });
    instance = await lab.instance();
    await lab.know(leaver, friend);
    await instance.fund(friend, 10_000);
  });
  afterAll(() => lab.close());

  const place = () => ({ store: instance.store, pool: lab.pool, clock: instance.ledger.clock });

  async function rebuild(say: (line: string) => void): ReturnType<typeof rebuildReadModels> {
    const texts = await lab.newTexts();
    const parts = { store: instance.store, texts, databaseUrl: lab.migrationsUrl, clock: instance.ledger.clock };
    const logger = createLogger({ level: 'silent', service: 'rebuild' });
    const order = { models: READ_MODEL_NAMES, environment: 'live', acceptsDifferences: false } as const;
    return rebuildReadModels({ ...parts, logger, say }, order);
  }

  async function textsOfRows(): Promise<string> {
    const { rows } = await lab.pool.query<{ all: string }>(
      `select coalesce(string_agg(p::text, ' '), '') as all from payments p`,
    );
    return rows[0]?.all ?? '';
  }

  it('given a balance, a held pay or another event store, when it is checked, then the reasons are named and nothing is closed', async () => {
    await instance.create(friend, leaver, { amountCents: 500, note: 'Thanks' });
    const held = await instance.create(leaver, anEmail(), { amountCents: 200, note: NOTE });
    await lab.caughtUp();
    expect(await findMoneyInFlight(lab.pool, userId)).toEqual([
      'the balance is 300 cents, not zero',
      expect.stringMatching(/^1 pays are held/),
    ]);
    const command = { step: 'check', userId, operator: null, reason: null } as const;
    await expect(closeAccount(place(), command)).rejects.toThrow(
      'It cannot be closed yet:\n  the balance is 300 cents',
    );
    const elsewhere = { ...place(), store: new InMemoryEventStore() };
    await expect(closeAccount(elsewhere, command)).rejects.toThrow('set EVENT_STORE as for payments-service');
    await instance.act(leaver, 'cancel', held.payment.id);
    await instance.create(leaver, friend, { amountCents: 500, note: NOTE });
  });

  it('given pending requests of the user and to the user, when they are ended, then they are cancelled and denied, and no money has moved', async () => {
    const own = await instance.create(leaver, friend, { action: 'charge', note: NOTE });
    const toUser = await instance.create(friend, leaver, { action: 'charge', note: 'Your half' });
    const toAddress = await instance.create(friend, email, { action: 'charge', note: 'Your half' });
    const before = await instance.balance(friend);
    expect(await endPendingRequests(place(), userId)).toBe(3);
    const statuses = await Promise.all(
      [own, toUser, toAddress].map(async ({ payment }) => (await instance.view(friend, payment.id)).status),
    );
    expect(statuses).toEqual(['cancelled', 'cancelled', 'cancelled']);
    expect(await instance.balance(friend)).toBe(before);
    expect(await endPendingRequests(place(), userId)).toBe(0);
    expect(await findMoneyInFlight(lab.pool, userId)).toEqual([]);
  });

  it('given notes of the user, encrypted and plain, and payments to the address, when the texts are erased, then no row and no response has them', async () => {
    const earlier = await lab.instance();
    await lab.pool.query('delete from text_encryption');
    const plain = await lab.instance({ texts: await lab.newTexts() });
    const { payment } = await plain.create(friend, leaver, { amountCents: 10, note: 'Kept' });
    const back = await plain.create(leaver, friend, { amountCents: 10, note: PLAIN_NOTE });
    await lab.pool.query('insert into text_encryption default values');
    await plain.stop();
    await lab.caughtUp();
    expect(await textsOfRows()).toContain(PLAIN_NOTE);

    for (let run = 0; run < 2; run += 1) await eraseTexts(lab.pool, userId);
    const texts = await textsOfRows();
    for (const gone of [NOTE, PLAIN_NOTE, email.value]) expect(texts).not.toContain(gone);
    const reader = await lab.instance({ texts: await lab.newTexts() });
    expect((await reader.view(friend, back.payment.id)).note).toBe('');
    expect((await reader.view(friend, payment.id)).note).toBe('Kept');
    await earlier.stop();
  });

  it('given erased texts, when the ledger is verified and rebuilt, then everything is in order and the texts stay erased', async () => {
    const { comparisons, switchedAt } = await rebuild(() => undefined);
    expect(comparisons.filter(({ first }) => first !== null)).toEqual([]);
    expect(switchedAt).not.toBeNull();
    const rows = await textsOfRows();
    for (const gone of [NOTE, PLAIN_NOTE, email.value]) expect(rows).not.toContain(gone);
  });

  it('given a rebuild whose payments are compared, when an account is closed before the cutover, then the rebuilt rows have none of its texts', async () => {
    const author = person();
    await lab.know(author);
    await instance.create(author, friend, { action: 'charge', note: 'Closed meanwhile' });
    await lab.caughtUp();
    let erasing: Promise<void> | null = null;
    const say = (line: string) => {
      const isCompared = line.startsWith('comparing') && !line.startsWith('comparing payments');
      if (isCompared) erasing ??= eraseTexts(lab.pool, author.card.id);
    };
    const { switchedAt } = await rebuild(say);
    expect(switchedAt).not.toBeNull();
    expect(erasing).not.toBeNull();
    await erasing;
    expect(await textsOfRows()).not.toContain('Closed meanwhile');
  });

  it('given a destroyed key, when the user would write once more, then nothing is stored', async () => {
    const writer = await lab.instance({ texts: await lab.newTexts() });
    await lab.know({ ...leaver, version: leaver.version + 1 });
    await expect(writer.create(leaver, friend, { action: 'charge', note: NOTE })).rejects.toThrow(
      'Your account is closed',
    );
  });

  it('given a closed user, when another user names the id, then there is no such user', async () => {
    const closed = { ...leaver, version: leaver.version + 2, isFrozen: true, isClosed: true, addresses: [] };
    await lab.know(closed);
    await expect(instance.create(friend, leaver)).rejects.toMatchObject({ code: 'resource_not_found' });
    const { payment } = await instance.create(friend, email, { note: 'To an address' });
    expect(payment).toMatchObject({ status: 'pending', target: { user: null, email: email.value } });
  });
});
