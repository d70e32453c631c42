import { PUBLIC_EVENT_HEADERS, type PublicPaymentEvent } from '@settle/contracts';
import { InMemoryEventStore, NO_STREAM } from '@settle/event-store';
import { schemaErrorsOf } from '@settle/testing';
import fc from 'fast-check';
import { readPaymentChanges } from '../storage/payment-changes.js';
import { ANN, BOB, SECRET, aPay, lives, stored } from '../../test/public-events/payment-lives.fixture.js';
import { buildPublicRecord, buildPublicEvent } from './public-event.js';

const noStore = { readStream: () => Promise.reject(new Error('Everything is in the batch')) };
const EVENTS_OF_MODES = [
  ...['transfer', 'hold', 'request', 'trusted', 'refund'].map((mode) => `${mode} PaymentCreated`),
  ...['transfer', 'hold', 'request', 'trusted', 'refund'].map((mode) => `${mode} PaymentSettled`),
  ...['transfer', 'hold'].map((mode) => `${mode} PaymentFailed`),
  ...['hold', 'request', 'trusted'].flatMap((mode) => [`${mode} PaymentExpired`, `${mode} PaymentCancelled`]),
];

describe('public events', () => {
  it('given any life of a payment, when it is published, then each event fits its schema and contains no personal data', async () => {
    const seen = new Set<string>();
    await fc.assert(
      fc.asyncProperty(lives, async (streams) => {
        const events = streams.flat();
        const told = (await readPaymentChanges(noStore, events)).flat();
        expect(told.map(({ stored: { id } }) => id)).toEqual(events.map(({ id }) => id));
        for (const change of told) {
          const envelope = buildPublicRecord(change, 1);
          const event = envelope.payload as PublicPaymentEvent;
          expect(schemaErrorsOf(event)).toEqual([]);
          expect(JSON.stringify(envelope)).not.toContain(SECRET);
          expect(event).toMatchObject({ type: change.stored.type, revision: change.stored.revision });
          expect(envelope.key).toBe(event.paymentId);
          seen.add(`${event.mode} ${event.type}`);
        }
      }),
      { numRuns: 3_000 },
    );
    expect([...seen].toSorted()).toEqual(EVENTS_OF_MODES.toSorted());
  });

  it('given a pay, when it is published, then each record has the documented fields', async () => {
    const created = aPay(1_795_253_400_250_000);
    const paymentId = '2235351801266466090';
    const settled = { type: 'PaymentSettled', data: { targetUserId: BOB, atUs: 1_795_253_400_250_001 } } as const;
    const changes = (await readPaymentChanges(noStore, stored(paymentId, [created, settled], 7))).flat();
    const records = changes.map((change) => buildPublicRecord(change, 3));
    const common = { paymentId, actorUserId: ANN, targetUserId: BOB, amountCents: 100, currency: 'USD', appId: 'demo' };
    expect(records.map(({ payload }) => payload)).toEqual([
      expect.objectContaining({ ...common, type: 'PaymentCreated', status: 'pending' }),
      expect.objectContaining({ ...common, type: 'PaymentSettled', occurredAt: '2026-11-21T09:30:00.250001Z' }),
    ]);
    const { headers = {} } = records[1] ?? {};
    const trace = created.data.commandId.replaceAll('-', '');
    const span = headers['event-id']?.replaceAll('-', '').slice(0, 16);
    expect(headers).toEqual({
      'event-id': changes[1]?.stored.id,
      type: 'PaymentSettled',
      revision: '1',
      position: '8',
      epoch: '3',
      'schema-version': '1',
      time: '2026-11-21T09:30:00.250001Z',
      ce_specversion: '1.0',
      ce_id: changes[1]?.stored.id,
      ce_source: 'urn:settle:topic:payments.events.v1',
      ce_type: 'settle.PaymentSettled.v1',
      ce_subject: paymentId,
      ce_time: '2026-11-21T09:30:00.250001Z',
      ce_dataschema: 'urn:settle:event:PaymentSettled:1',
      'content-type': 'application/json',
      traceparent: `00-${trace}-${span}-00`,
    });
    expect(Object.keys({ ...headers, pattern: '' }).toSorted()).toEqual(Object.keys(PUBLIC_EVENT_HEADERS).toSorted());
  });

  it('given a command whose id is no UUID, when its payment is published, then without a trace', async () => {
    const { data } = aPay();
    const events = stored('2235351801266466090', [{ type: 'PaymentCreated', data: { ...data, commandId: 'seed-1' } }]);
    const [change] = (await readPaymentChanges(noStore, events)).flat();
    expect(change && buildPublicRecord(change, 1).headers).not.toHaveProperty('traceparent');
  });

  it('given a final event whose creation was published long ago, when it is published, then the creation is read', async () => {
    const created = aPay();
    const failed = { type: 'PaymentFailed', data: { reason: 'insufficient_funds', atUs: 1 } } as const;
    const events = stored('2235351801266466090', [created, failed]);
    const store = new InMemoryEventStore();
    await store.append([{ stream: events[0]?.stream ?? '', expectedRevision: NO_STREAM, events }]);
    const [change] = (await readPaymentChanges(store, events.slice(1))).flat();
    expect(change && buildPublicEvent(change)).toMatchObject({
      type: 'PaymentFailed',
      actorUserId: ANN,
      amountCents: 100,
    });
  });
});
