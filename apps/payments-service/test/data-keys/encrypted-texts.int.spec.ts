import { randomBytes } from 'node:crypto';
import { readSettings } from '@settle/config';
import type { StoredEvent } from '@settle/event-store';
import { SPEC_DATA_KEY } from '@settle/testing';
import { createPaymentTexts } from '../../src/data-keys/create-payment-texts.js';
import { DataKeys } from '../../src/data-keys/data-keys.js';
import { rewrapDataKeys } from '../../src/data-keys/rewrap.js';
import { WrappingKeys } from '../../src/data-keys/wrapping-keys.js';
import { rebuildReadModels } from '../../src/operators/rebuild.js';
import { READ_MODEL_NAMES } from '../../src/read-models/registry.js';
import { paymentStream } from '../../src/storage/streams.js';
import { LedgerLab, type LabInstance } from '../ledger-lab/ledger-lab.fixture.js';
import { rebuildParts } from '../ledger-lab/rebuild-parts.fixture.js';
import { person } from '../ledger-lab/people.fixture.js';

const NOTE = 'Lunch at the harbor';
const EMAIL = 'not.yet@example.com';

describe('notes and addresses in events', () => {
  let lab: LedgerLab;
  let instance: LabInstance;
  const [payer, payee] = [person(), person()];

  beforeAll(async () => {
    lab = await LedgerLab.open({ isEncrypted: true });
    instance = await lab.instance();
    await lab.know(payer, payee);
    await instance.fund(payer, 10_000);
  });
  afterAll(() => lab.close());

  async function storedTexts(): Promise<string> {
    const { rows } = await lab.pool.query<{ all: string }>(
      `select coalesce(string_agg(data::text, ' '), '') as all from events`,
    );
    return rows[0]?.all ?? '';
  }

  it('given a payment to a user and one to an address, when they are stored, then events have neither note nor address and responses have both', async () => {
    const direct = await instance.create(payer, payee, { note: NOTE });
    expect(direct.payment.note).toBe(NOTE);
    const held = await instance.create(payer, { type: 'email', value: EMAIL }, { note: NOTE });
    expect(held.payment).toMatchObject({ note: NOTE, status: 'pending', target: { email: EMAIL } });
    await lab.caughtUp();
    expect(await instance.view(payee, direct.payment.id)).toMatchObject({ note: NOTE });
    expect(await instance.view(payer, held.payment.id)).toMatchObject({ note: NOTE, target: { email: EMAIL } });
    const texts = await storedTexts();
    expect(texts).not.toContain(NOTE);
    expect(texts).not.toContain(EMAIL);
  });

  it('given a held pay, when its payer cancels it, then the refund has the note and its event does not', async () => {
    const held = await instance.create(payer, { type: 'email', value: EMAIL }, { note: NOTE });
    const { refund } = await instance.act(payer, 'cancel', held.payment.id);
    expect(refund?.note).toBe(NOTE);
    expect(await storedTexts()).not.toContain(NOTE);
  });

  it('given a held pay to an encrypted address, when a user verifies it, then the user is its target', async () => {
    const email = 'soon.known@example.com';
    const held = await instance.create(payer, { type: 'email', value: email }, { note: NOTE });
    const owner = person({ addresses: [{ kind: 'email', value: email, provenAtUs: 1 }] });
    await lab.know(owner);
    await lab.caughtUp();
    expect(await instance.view(owner, held.payment.id)).toMatchObject({ target: { user: { id: owner.card.id } } });
  });

  it('given encrypted events, when read models are rebuilt, then the rows are the same', async () => {
    const order = { models: READ_MODEL_NAMES, environment: 'live', acceptsDifferences: false } as const;
    await lab.caughtUp();
    const { comparisons, switchedAt } = await rebuildReadModels(
      rebuildParts(lab, instance.store, { clock: instance.ledger.clock }),
      order,
    );
    expect(comparisons.filter(({ first }) => first !== null)).toEqual([]);
    expect(switchedAt).not.toBeNull();
  });

  it('given events from before encryption began, when they are shown, then their texts are as they were', async () => {
    const begun = await lab.pool.query('delete from text_encryption returning begun_at');
    expect(begun.rowCount).toBe(1);
    const earlier = await lab.instance({ texts: await createPaymentTexts(settingsWith(SPEC_DATA_KEY), lab.pool) });
    const { payment } = await earlier.create(payer, payee, { note: 'In plain text' });
    const [created] = await earlier.store.readStream(paymentStream(payment.id), { direction: 'forwards', limit: 1 });
    expect(created?.data).toMatchObject({ note: 'In plain text' });
    await lab.pool.query('insert into text_encryption default values');
    await lab.caughtUp();
    expect(await instance.view(payee, payment.id)).toMatchObject({ note: 'In plain text' });
  });

  it('given a note that was just decrypted, when an event has it under another author, then there is no note', async () => {
    const texts = await createPaymentTexts(settingsWith(SPEC_DATA_KEY), lab.pool);
    await instance.fund(payee, 100);
    await instance.create(payee, payer, { note: NOTE });
    const { payment } = await instance.create(payer, payee, { note: NOTE });
    const [created] = await instance.store.readStream(paymentStream(payment.id), { direction: 'forwards', limit: 1 });
    const moved = { ...created, data: { ...created?.data, actorId: payee.card.id } } as StoredEvent;
    const notes = async (event: StoredEvent) => (await texts.openEvents([event])).map(({ data }) => data);
    expect(await notes(created as StoredEvent)).toEqual([expect.objectContaining({ note: NOTE })]);
    expect(await notes(moved)).toEqual([expect.objectContaining({ note: '' })]);
  });

  it('given another wrapping key, when every key is wrapped anew, then the earlier one is not needed and no event has changed', async () => {
    const before = await storedTexts();
    const later = randomBytes(32).toString('base64');
    await expect(createPaymentTexts(settingsWith(later), lab.pool)).rejects.toThrow('is not among its keys');
    expect(await rewrapDataKeys(lab.pool, new WrappingKeys(`${later}\n${SPEC_DATA_KEY}`))).toBeGreaterThan(0);
    expect(await rewrapDataKeys(lab.pool, new WrappingKeys(later))).toBe(0);
    const texts = await createPaymentTexts(settingsWith(later), lab.pool);
    const reader = await lab.instance({ texts });
    const { payment } = await reader.create(payer, payee, { note: NOTE });
    expect(payment.note).toBe(NOTE);
    expect((await storedTexts()).startsWith(before.slice(0, 1_000))).toBe(true);
  });

  it('given a user without a key, when another process creates it, then this process has it at once', async () => {
    const userId = person().card.id;
    const [one, other] = [1, 2].map(() => new DataKeys(lab.pool, new WrappingKeys(SPEC_DATA_KEY))) as [
      DataKeys,
      DataKeys,
    ];
    expect((await one.find([userId])).get(userId)).toBe('none');
    const key = await other.getOrCreate(userId);
    expect((await one.find([userId])).get(userId)).toEqual(key);
    expect(await one.getOrCreate(userId)).toEqual(key);
    await lab.pool.query('delete from data_keys where user_id = $1', [userId]);
  });

  it('given no key, when there are encrypted notes or it is production, then it does not start', async () => {
    const without = readSettings({ NODE_ENV: 'test' });
    await expect(createPaymentTexts(without, lab.pool)).rejects.toThrow('DATA_KEY_FILE: notes here are encrypted');
    const inProduction = { dataKey: null, nodeEnv: 'production' } as const;
    await expect(createPaymentTexts(inProduction, lab.pool)).rejects.toThrow(
      'DATA_KEY_FILE: it is needed in production',
    );
  });
});

function settingsWith(key: string) {
  return readSettings({ NODE_ENV: 'test', DATA_KEY: key });
}
