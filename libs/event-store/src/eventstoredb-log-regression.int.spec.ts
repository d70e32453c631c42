import { randomUUID } from 'node:crypto';
import { EventStoreDbStandIn, eventually } from '@settle/testing';
import { START, type StoredEvent } from './event-store.js';
import { EventStoreDbEventStore } from './eventstoredb-event-store.js';
import { LogRegression } from './log-continuity.js';

const event = () => ({ id: randomUUID(), type: 'Happened', data: {} });

describe('EventStoreDbEventStore on a log that loses events', () => {
  let standIn: EventStoreDbStandIn;
  let store: EventStoreDbEventStore;
  const losses: LogRegression[] = [];
  const delivered: StoredEvent[] = [];

  beforeEach(async () => {
    losses.length = delivered.length = 0;
    standIn = await EventStoreDbStandIn.start();
    store = await EventStoreDbEventStore.open({
      url: standIn.url,
      sharedPrefixes: ['wallet-'],
      onLost: (error) => losses.push(error),
    });
    store.subscribe({
      streamPrefixes: ['wallet-'],
      after: START,
      batchSize: 10,
      handle: async (events) => void delivered.push(...events),
      onError: () => undefined,
    });
    await store.append([{ stream: 'wallet-1', expectedRevision: -1, events: [event(), event(), event()] }]);
    await eventually(() => expect(delivered).toHaveLength(3));
  });
  afterEach(async () => {
    await store.close();
    await standIn.stop();
  });

  it('given a server restored to an older copy, when the store reconnects, then it reports the loss and rejects all calls', async () => {
    await standIn.restoreTo(2);
    await eventually(() => expect(losses).toHaveLength(1));
    expect(losses[0]!.message).toMatch(/has lost the event .*stream wallet-1/);
    const next = store.append([{ stream: 'wallet-1', expectedRevision: 2, events: [event()] }]);
    await expect(next).rejects.toMatchObject({ name: 'StoreUnavailable' });
    const read = store.readStream('wallet-1', { direction: 'forwards', limit: 10 });
    await expect(read).rejects.toMatchObject({ name: 'StoreUnavailable' });
  });

  it('given a server that restarts with all its events, when the store reconnects, then appends succeed', async () => {
    await standIn.restart();
    await eventually(
      async () => {
        const newest = await store.readStream('wallet-1', { direction: 'backwards', limit: 1 });
        await store.append([{ stream: 'wallet-1', expectedRevision: newest[0]!.revision, events: [event()] }]);
      },
      { timeoutMs: 30_000 },
    );
    await eventually(() => expect(delivered.length).toBeGreaterThanOrEqual(4));
    expect(losses).toEqual([]);
  });
});
