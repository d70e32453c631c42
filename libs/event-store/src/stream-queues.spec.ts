import fc from 'fast-check';
import { buildAppend } from '../test/contract.fixture.js';
import { AppendAborted, type StoredAppend } from './append-outcome.js';
import { prepareAppend, type PreparedAppend } from './appending-client.js';
import { RevisionConflict } from './event-store.js';
import { EVENT_STORE_DB_LIMITS } from './limits.js';
import { StreamQueues } from './stream-queues.js';

const prepare = (stream: string, expectedRevision: number, ...numbers: number[]): PreparedAppend =>
  prepareAppend(buildAppend(stream, expectedRevision, numbers), EVENT_STORE_DB_LIMITS);

const numbersOf = ({ events }: PreparedAppend) => events.map(({ data }) => (data as { number: number }).number);
const turn = () => new Promise((resolve) => setImmediate(resolve));

/** `cut off`: the outcome is unknown, although the server has stored the append; `lost`: it is unknown, and it has not. */
type Fate = 'answered' | 'not sent' | 'cut off' | 'lost';

/** A server with streams of numbers, which deals with each append as `fates` says; later appends are answered. */
class FakeServer {
  readonly streams = new Map<string, number[]>();
  readonly sent: number[][] = [];

  constructor(private readonly fates: Fate[] = []) {}

  store = async (append: PreparedAppend): Promise<StoredAppend> => {
    this.sent.push(numbersOf(append));
    await turn();
    const fate = this.fates.shift() ?? 'answered';
    if (fate === 'not sent') throw new AppendAborted(fate, false);
    if (fate === 'lost') throw new AppendAborted(fate, true);
    const stream = this.streams.get(append.stream) ?? [];
    if (stream.length !== append.expectedRevision + 1) {
      throw new RevisionConflict(append.stream, append.expectedRevision);
    }
    this.streams.set(append.stream, [...stream, ...numbersOf(append)]);
    if (fate === 'cut off') throw new AppendAborted(fate, true);
    return { position: 70, isStoredByThisCall: true };
  };
}

/** Starts units of one append each, all ready at once. Resolves with the outcome of each. */
async function storeAll(server: FakeServer, appends: readonly PreparedAppend[], limits = EVENT_STORE_DB_LIMITS) {
  const queues = new StreamQueues({ store: server.store, limits });
  const units = appends.map((append) => ({ append, places: queues.enqueue([append.stream]) }));
  return Promise.all(
    units.map(async ({ append, places }) => {
      try {
        await places.store({ append, isLastOfStream: true, isRepeated: false, begin: () => Infinity });
        return 'stored';
      } catch (error) {
        if (error instanceof AppendAborted) return error.mayBeStored ? 'unknown' : 'not stored';
        return (error as Error).name;
      } finally {
        places.leaveAll();
      }
    }),
  );
}

describe('StreamQueues', () => {
  const chain = [0, 1, 2, 3].map((number) => prepare('wallet-1', number - 1, number));

  it('given units that wait behind one another, when the first is stored, then the others are sent as one append', async () => {
    const server = new FakeServer();
    expect(await storeAll(server, chain)).toEqual(chain.map(() => 'stored'));
    expect(server.sent).toEqual([[0], [1, 2, 3]]);
  });

  it('given another writer that takes the revision of the first of a group, when it is a conflict, then each unit is sent by itself', async () => {
    const server = new FakeServer();
    const stored = storeAll(server, chain);
    server.streams.set('wallet-1', []);
    await turn();
    server.streams.get('wallet-1')!.push(99);
    expect(await stored).toEqual(['stored', 'RevisionConflict', 'stored', 'stored']);
    expect(server.sent).toEqual([[0], [1, 2, 3], [1], [2], [3]]);
  });

  it('given a group that was not sent, when its units are sent by themselves, then each gets its own outcome', async () => {
    const server = new FakeServer(['answered', 'not sent', 'answered', 'answered', 'not sent']);
    expect(await storeAll(server, chain)).toEqual(['stored', 'stored', 'stored', 'not stored']);
    expect(server.streams.get('wallet-1')).toEqual([0, 1, 2]);
  });

  it('given a group without a response, when it is given up, then the outcome of all its units is unknown', async () => {
    const server = new FakeServer(['answered', 'cut off']);
    expect(await storeAll(server, chain)).toEqual(['stored', 'unknown', 'unknown', 'unknown']);
    expect(server.sent).toHaveLength(2);
  });

  it('given a unit with little time left, when others wait behind it, then it is sent by itself, and theirs is not shortened', async () => {
    const server = new FakeServer(['lost']);
    const queues = new StreamQueues({ store: server.store, limits: EVENT_STORE_DB_LIMITS });
    const nowMs = performance.now();
    const deadlines = [nowMs + 100, nowMs + 4_000, nowMs + 4_000];
    const units = deadlines.map((giveUpAtMs, at) => {
      const places = queues.enqueue(['s']);
      const append = prepare('s', at - 1, at);
      return { places, ready: { append, isLastOfStream: true, isRepeated: false, begin: () => giveUpAtMs } };
    });
    const storing = units.map(async ({ places, ready }) => places.store(ready).finally(() => places.leaveAll()));
    await Promise.allSettled(storing);
    expect(server.sent.slice(0, 2)).toEqual([[0], [1, 2]]);
  });

  it('given more events than a group may have, when they wait, then they are sent as several appends', async () => {
    const server = new FakeServer();
    await storeAll(server, chain, { ...EVENT_STORE_DB_LIMITS, eventsPerGroup: 2 });
    expect(server.sent).toEqual([[0], [1, 2], [3]]);
    const other = new FakeServer();
    await storeAll(other, chain, { ...EVENT_STORE_DB_LIMITS, bytesPerAppend: chain[1]!.byteBound });
    expect(other.sent).toEqual([[0], [1], [2], [3]]);
  });

  it('given an append that its unit rejects in its turn, when it has left, then those behind it are stored', async () => {
    const server = new FakeServer();
    const queues = new StreamQueues({ store: server.store, limits: EVENT_STORE_DB_LIMITS });
    const [rejected, other] = [queues.enqueue(['wallet-1']), queues.enqueue(['wallet-1'])];
    const ready = { isLastOfStream: true, isRepeated: false };
    const begin = () => {
      throw new RevisionConflict('wallet-1', 5);
    };
    const failed = rejected.store({ ...ready, append: prepare('wallet-1', 5, 6), begin });
    const stored = other.store({ ...ready, append: prepare('wallet-1', -1, 0), begin: () => Infinity });
    await expect(failed).rejects.toThrow(RevisionConflict);
    expect(server.sent).toEqual([]);
    rejected.leaveAll();
    expect(await stored).toMatchObject({ position: 70 });
  });

  it('given any fates of the requests, when units are stored, then each outcome is true and each event is stored once', async () => {
    const fates = fc.array(fc.constantFrom<Fate>('answered', 'answered', 'not sent', 'cut off', 'lost'), {
      maxLength: 8,
    });
    const units = fc.array(fc.constantFrom('a', 'b', 'c'), { minLength: 1, maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(fates, units, async (drawn, streams) => {
        const server = new FakeServer([...drawn]);
        const newest = new Map<string, number>();
        const appends = streams.map((stream, number) => {
          const expected = newest.get(stream) ?? -1;
          newest.set(stream, expected + 1);
          return prepare(stream, expected, number);
        });
        const outcomes = await storeAll(server, appends);
        const stored = [...server.streams.values()].flat();
        expect(new Set(stored).size).toBe(stored.length);
        for (const stream of server.streams.values()) expect(stream).toEqual([...stream].sort((one, two) => one - two));
        for (const [number, outcome] of outcomes.entries()) {
          if (outcome !== 'unknown') expect(stored.includes(number)).toBe(outcome === 'stored');
        }
      }),
      { numRuns: 500 },
    );
  });

  it('given units with common streams in any order, when they wait for their turns, then each stream has them in order', async () => {
    const streams = fc.uniqueArray(fc.constantFrom<string>('a', 'b', 'c', 'd'), { minLength: 1 });
    await fc.assert(
      fc.asyncProperty(fc.array(streams, { maxLength: 12 }), async (units) => {
        const server = new FakeServer();
        const queues = new StreamQueues({ store: server.store, limits: EVENT_STORE_DB_LIMITS });
        const newest = new Map<string, number>();
        const run = async (unit: readonly string[], number: number) => {
          const appends = unit.map((stream) => {
            const expected = newest.get(stream) ?? -1;
            newest.set(stream, expected + 1);
            return prepare(stream, expected, number);
          });
          const places = queues.enqueue(unit);
          for (const append of appends) {
            await places.store({ append, isLastOfStream: true, isRepeated: false, begin: () => Infinity });
            places.leave(append.stream);
          }
        };
        await Promise.all(units.map(run));
        for (const [stream, order] of server.streams) {
          const expected = units.flatMap((unit, number) => (unit.includes(stream) ? [number] : []));
          expect(order).toEqual(expected);
        }
      }),
    );
  });
});
