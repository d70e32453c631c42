import { randomUUID } from 'node:crypto';
import { EventStoreDBClient } from '@eventstore/db-client';
import { eventually } from '@settle/testing';
import { consumePayments } from '../test/payment-consumer.fixture.js';
import { NO_STREAM, type EventStore } from './event-store.js';
import { openEventStoreDb } from './open-eventstoredb.js';

const url = process.env['EVENTSTORE_URL'] ?? '';
const PROJECTION_WAIT = { timeoutMs: 60_000 };

/** The stand-in has no projections: without a server this file is left out, and `npm test` says so. */
describe('projections of the server at EVENTSTORE_URL', () => {
  const id = randomUUID();
  const command = randomUUID();
  const [payment, wallet] = [`payment-${id}`, `wallet-${id}`];
  let store: EventStore;
  let client: EventStoreDBClient;

  beforeAll(async () => {
    store = await openEventStoreDb({ url });
    client = EventStoreDBClient.connectionString(url);
    const written = (stream: string, type: string) => ({
      stream,
      expectedRevision: NO_STREAM,
      events: [{ id: randomUUID(), type, data: {}, correlationId: id, causationId: command }],
    });
    await store.append([written(payment, 'PaymentCreated'), written(wallet, 'FundsDebited')]);
  });
  afterAll(async () => {
    await client.dispose();
    await store.close();
  });

  async function readLinked(name: string): Promise<(string | undefined)[]> {
    const streams: (string | undefined)[] = [];
    const read = client.readStream(name, {
      direction: 'backwards',
      fromRevision: 'end',
      maxCount: 1_000,
      resolveLinkTos: true,
    });
    for await (const { event } of read) streams.push(event?.streamId);
    return streams;
  }

  it('given a payment, when $bc- and its id are read, then the events of its stream and of the wallet are there', async () => {
    await eventually(async () => {
      expect((await readLinked(`$bc-${id}`)).sort()).toEqual([payment, wallet]);
    }, PROJECTION_WAIT);
  });

  it('given a payment, when $ce-payment is read, then its event is there and that of the wallet is not', async () => {
    await eventually(async () => expect(await readLinked('$ce-payment')).toContain(payment), PROJECTION_WAIT);
    expect(await readLinked('$ce-payment')).not.toContain(wallet);
  });

  it('given a group on $ce-payment, when a consumer reads it, then it gets the event with its metadata', async () => {
    const metadata: unknown[] = [];
    await consumePayments(url, `spec-${id}`, (event) => {
      if (event.streamId !== payment) return Promise.resolve(true);
      metadata.push(event.metadata);
      return Promise.resolve(false);
    });
    expect(metadata).toMatchObject([{ $correlationId: id, $causationId: command }]);
  });
});
