import { InMemoryEventStore, NO_STREAM } from '@settle/event-store';
import { LIMITS } from '@settle/config';
import type { Pool } from 'pg';
import { aPay, stored } from '../../test/public-events/payment-lives.fixture.js';
import { PAYMENT_EVENTS } from '../public-events/published-topics.js';
import { exportTopic } from './export-topic.js';

const BATCHES = 3;
const FIRST_ID = 2_235_351_801_266_466_090n;

describe('the export of a topic', () => {
  it('given more events than a batch has, when a write waits, then no further one begins before it ends', async () => {
    const store = new InMemoryEventStore();
    const count = BATCHES * LIMITS.eventStore.eventsPerRead;
    for (let index = 0; index < count; index += 1) {
      const events = stored(String(FIRST_ID + BigInt(index)), [aPay()]);
      await store.append([{ stream: events[0]!.stream, expectedRevision: NO_STREAM, events }]);
    }
    let [writing, most, lines] = [0, 0, 0];
    const write = async (text: string) => {
      writing += 1;
      most = Math.max(most, writing);
      lines += text.split('\n').length - 1;
      await new Promise(setImmediate);
      writing -= 1;
    };
    const pool = { query: async () => ({ rows: [{ epoch: 1, filledEpoch: 1 }] }) } as unknown as Pool;
    await exportTopic({ store, pool, write }, { published: PAYMENT_EVENTS, from: 0 });
    expect([most, lines]).toEqual([1, count]);
    await store.close();
  });
});
