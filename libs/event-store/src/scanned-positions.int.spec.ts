import { EventStoreDbStandIn } from '@settle/testing';
import { expectInOrderWithoutGaps, Recorder, unitOf } from './contract.fixture.js';
import { NO_STREAM, START } from './event-store.js';
import { EventStoreDbEventStore } from './eventstoredb-event-store.js';

const WRITERS = 12;
const RESUMPTIONS = 12;
/** Events of its own in a row. */
const BURST = 40;

describe('a position at which nothing of the follower stands', () => {
  let standIn: EventStoreDbStandIn;
  let store: EventStoreDbEventStore;

  beforeEach(async () => {
    standIn = await EventStoreDbStandIn.start();
    store = await EventStoreDbEventStore.open({ url: standIn.url, limits: { windowsPerCheckpoint: 1 } });
  });
  afterEach(async () => {
    await store.close();
    await standIn.stop();
  });

  it('given others write as well and its own events come right behind, when it is followed from there time and again, then none is missed or comes twice', async () => {
    let isOver = false;
    let end = (): void => undefined;
    const over = new Promise<void>((resolve) => (end = resolve));
    let ours = 0;
    const recorder = new Recorder();
    const writers = Array.from({ length: WRITERS }, async (_, writer) => {
      const isOurs = writer % 2 === 0;
      for (let number = 0; !isOver; number += 1) {
        // The follower is slow: ours come in bursts, and between two of them it has taken all.
        if (isOurs && ours - recorder.seen.length >= BURST) await Promise.race([recorder.until(ours), over]);
        const prefix = isOurs ? 'wallet' : 'other';
        await store.append(unitOf(`${prefix}-${writer}`, number === 0 ? NO_STREAM : number - 1, number));
        if (isOurs) ours += 1;
      }
    });
    let kept = START;
    let resumedFromScanned = 0;
    try {
      while (resumedFromScanned < RESUMPTIONS) {
        let isScanned = (): void => undefined;
        const scanned = new Promise<void>((resolve) => (isScanned = resolve));
        let isEnding = false;
        const subscription = store.subscribe(
          recorder.options(['wallet-'], {
            after: kept,
            tellAfterMs: 0,
            batchSize: [3, 20, 100][resumedFromScanned % 3] ?? 1,
            handle: async (events, upTo) => {
              // Slower than they come: the server is ahead, and says so while events wait here.
              await new Promise((resolve) => setTimeout(resolve, 1));
              // Stopped where it was told of others' events only: what is kept then is that place.
              if (isEnding) throw new Error('the place that is kept stays');
              recorder.take(events, upTo);
              kept = upTo;
              isEnding = events.length === 0;
              if (isEnding) isScanned();
            },
          }),
        );
        await scanned;
        await subscription.stop();
        resumedFromScanned += 1;
      }
    } finally {
      isOver = true;
      end();
    }
    await Promise.all(writers);
    store.subscribe(recorder.options(['wallet-'], { after: kept }));
    await recorder.until(ours);
    expect(recorder.seen).toHaveLength(ours);
    expectInOrderWithoutGaps(recorder.seen);
  });
});
