import { openEventStoreDb, type EventStore } from '@settle/event-store';
import { EventStoreDbStandIn, eventually } from '@settle/testing';
import { refundIdFor } from '../../src/transfer/refund-ids.js';
import { LedgerLab, type LabInstance } from './ledger-lab.fixture.js';
import { anEmail, person } from './people.fixture.js';
import { StoppingStore } from './stopping-store.fixture.js';

describe.each(['PostgreSQL', 'EventStoreDB'])('a refund whose id belongs to another payment, events in %s', (place) => {
  let standIn: EventStoreDbStandIn | undefined;
  let lab: LedgerLab;
  let steady: LabInstance;
  let aheadMs = 0;
  const [actor, other] = [person(), person()];

  beforeAll(async () => {
    if (place === 'EventStoreDB') standIn = await EventStoreDbStandIn.start();
    lab = await LedgerLab.open();
    steady = await instance();
    await lab.know(actor, other);
    await steady.fund(actor, 1_000);
  });
  afterAll(async () => {
    await lab.close();
    await standIn?.stop();
  });

  function instance(wrapStore: (store: EventStore) => EventStore = (store) => store): Promise<LabInstance> {
    const url = standIn?.url;
    const openStore = () => openEventStoreDb({ url: url ?? '', limits: { answerMs: 1_000 } });
    return lab.instance({ ...(url && { openStore }), wrapStore, nowMs: () => Date.now() + aheadMs });
  }

  const charge = (paymentId: string) => steady.create(actor, other, { paymentId, action: 'charge' });

  it('given a held pay, when it is cancelled, then its refund draws the next id and is read by it', async () => {
    const { payment } = await steady.create(actor, anEmail());
    await charge(refundIdFor(payment.id));
    const refundId = refundIdFor(payment.id, 1);
    expect(await steady.act(actor, 'cancel', payment.id)).toMatchObject({ refund: { id: refundId } });
    await eventually(async () => {
      expect(await steady.view(actor, refundId)).toMatchObject({ status: 'settled', amountCents: 100 });
      expect(await steady.balance(actor)).toBe(1_000);
    });
    expect(await steady.view(actor, refundIdFor(payment.id))).toMatchObject({ status: 'pending', action: 'charge' });
  });

  it('given an instance that dies once the end is stored, when the id is taken then, then the refund is written all the same', async () => {
    let store: StoppingStore | undefined;
    const dying = await instance((inner) => (store = new StoppingStore(inner)));
    const { payment } = await steady.create(actor, anEmail());
    store?.stopAfter('PaymentCancelled');
    await expect(dying.act(actor, 'cancel', payment.id)).rejects.toThrow();
    await charge(refundIdFor(payment.id));
    await dying.stop();
    await eventually(
      async () => {
        aheadMs += 60_000;
        await steady.ledger.worker.runDueWork();
        const { rows } = await lab.pool.query('select id, status from payments where refund_of = $1', [payment.id]);
        expect(rows).toEqual([{ id: refundIdFor(payment.id, 1), status: 'settled' }]);
        expect(await steady.balance(actor)).toBe(1_000);
        expect((await lab.pool.query('select from open_work where payment_id = $1', [payment.id])).rows).toEqual([]);
      },
      { timeoutMs: 30_000 },
    );
  });
});
