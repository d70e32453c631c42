import { StoreUnavailable, type EventStore } from '@settle/event-store';
import { eventually } from '@settle/testing';
import { altered } from '../../test/ledger-lab/altered-store.fixture.js';
import { LedgerLab, type LabInstance } from '../../test/ledger-lab/ledger-lab.fixture.js';
import { createCommand, person } from '../../test/ledger-lab/people.fixture.js';

const GIVEN_UP_AFTER_MS = 800;

/** The event log, with whatever a spec puts in front of its reads. */
function withReads(store: EventStore, beforeRead: () => Promise<void>): EventStore {
  return altered(store, {
    readStream: async (...args) => {
      await beforeRead();
      return store.readStream(...args);
    },
  });
}

describe('a database that is away for a while', () => {
  let lab: LedgerLab;
  let instance: LabInstance;
  let beforeRead: () => Promise<void>;
  const [payer, payee] = [person(), person()];

  beforeEach(async () => {
    beforeRead = () => Promise.resolve();
    lab = await LedgerLab.open();
    instance = await lab.instance({ wrapStore: (store) => withReads(store, () => beforeRead()) });
    await lab.know(payer, payee);
    await instance.fund(payer, 1_000);
  });
  afterEach(async () => {
    await lab.expectInOrder();
    await lab.close();
  });

  it('given wallets that cannot be read, when a user pays, then nothing was begun and the error is the same', async () => {
    beforeRead = () => Promise.reject(new StoreUnavailable('the database does not answer'));
    await expect(instance.create(payer, payee)).rejects.toMatchObject({ code: 'service_unavailable' });
    beforeRead = () => Promise.resolve();
    expect(await instance.balance(payer)).toBe(1_000);
  });

  it('given a reading that outlasts the sender, when it ends, then the payment that was given up is not begun', async () => {
    const command = createCommand(payer, payee, { beginBeforeMs: Date.now() + 100 });
    beforeRead = () => eventually(() => expect(Date.now()).toBeGreaterThan(command.beginBeforeMs + GIVEN_UP_AFTER_MS));
    await expect(instance.commands.create(command)).rejects.toMatchObject({ code: 'service_unavailable' });
    expect(await instance.balance(payer)).toBe(1_000);
  });

  it('given a settled payment whose people cannot be read, when it is answered, then its outcome is to be looked up', async () => {
    const command = createCommand(payer, payee);
    instance.ledger.views.viewOf = () => Promise.reject(new Error('Connection terminated unexpectedly'));
    await expect(instance.commands.create(command)).rejects.toMatchObject({ code: 'outcome_unknown' });
    await lab.caughtUp();
    expect((await instance.view(payee, command.paymentId)).status).toBe('settled');
  });
});
