import { randomUUID } from 'node:crypto';
import { jest } from '@jest/globals';
import { InMemoryEventStore, START, type EventStore } from '@settle/event-store';
import { randomId } from '@settle/contracts';
import type { Pool } from 'pg';
import { walletStream } from '../storage/streams.js';
import { ProjectedLog } from './projected-log.js';

/** A log with one event that the read models do not show, and whose reads can be held back. */
async function given({ reached }: { readonly reached: (position: number) => Promise<boolean> }) {
  const store = new InMemoryEventStore();
  const event = { id: randomUUID(), type: 'WalletOpened', data: {} };
  const { position } = await store.append([
    { stream: walletStream(randomId(Date.now())), expectedRevision: -1, events: [event] },
  ]);
  let isFailing = false;
  const source: Pick<EventStore, 'subscribe' | 'newestPosition'> = {
    newestPosition: () => store.newestPosition(),
    subscribe: (options) => {
      if (!isFailing) return store.subscribe(options);
      options.onError(new Error('The store is unavailable'));
      return { stop: () => Promise.resolve() } as never;
    },
  };
  const pool = { query: () => Promise.resolve({ rows: [{ position: String(START) }] }) } as unknown as Pool;
  return {
    log: new ProjectedLog({ store: source, pool, reached }),
    position,
    fail: (fails: boolean) => void (isFailing = fails),
  };
}

describe('ProjectedLog', () => {
  it('given events of an earlier instance, when it is asked, then it waits for the position of the newest', async () => {
    const reached = jest.fn((position: number) => Promise.resolve(position > START));
    const { log, position } = await given({ reached });
    expect(await log.isShown()).toBe(true);
    expect(reached).toHaveBeenCalledWith(position);
  });

  it('given a log that cannot be read, when it is asked, then not everything is shown, and it reads again', async () => {
    const { log, fail } = await given({ reached: () => Promise.resolve(true) });
    fail(true);
    expect(await log.isShown()).toBe(false);
    fail(false);
    expect(await log.isShown()).toBe(true);
  });
});
