import { NO_STREAM, type EventStore } from '../src/event-store.js';
import {
  appendAtEnd,
  buildAppend,
  buildUnit,
  getNumbers,
  getOutcome,
  readAll,
  type StoreBackend,
} from './contract.fixture.js';

const NUMBERS = Array.from({ length: 100 }, (_, number) => number);

/** Units with a stream of their own that all end in one stream, each building on the one before. */
const UNITS = NUMBERS.map((number) => [
  buildAppend(`payment-${number}`, NO_STREAM, [number]),
  buildAppend('wallet-1', number - 1, [number]),
]);

/**
 * The contract of every adapter for units that wait behind one another.
 * @param getStore returns the empty store of the current test
 */
export function describeWaitingUnits(getStore: () => EventStore): void {
  describe('given units that each build on the one before, which is still in the queue', () => {
    it('when none conflicts, then all are stored in order', async () => {
      const store = getStore();
      const numbers = Array.from({ length: 200 }, (_, number) => number);
      await Promise.all(numbers.map((number) => store.append(buildUnit('wallet-1', number - 1, number))));
      expect(getNumbers(await readAll(store, 'wallet-1'))).toEqual(numbers);
    });

    it('when the first conflicts, then those that build on it conflict, too, and a unit that is decided later is stored', async () => {
      const store = getStore();
      await store.append(buildUnit('wallet-1', NO_STREAM, 1, 2));
      const rejected = [
        store.append([buildAppend('wallet-1', 0, [7]), buildAppend('payment-7', NO_STREAM, [7])]),
        store.append(buildUnit('wallet-1', 1, 8)),
        store.append([buildAppend('wallet-1', 2, [9]), buildAppend('wallet-2', NO_STREAM, [9])]),
        store.append(buildUnit('wallet-2', 0, 10)),
      ];
      const unrelated = store.append(buildUnit('wallet-3', NO_STREAM, 11));
      const outcomes = await Promise.all([...rejected, unrelated].map(getOutcome));
      expect(outcomes).toEqual([...rejected.map(() => 'RevisionConflict'), 'stored']);
      await new Promise((resolve) => setImmediate(resolve));
      expect(getNumbers(await readAll(store, 'wallet-1'))).toEqual([1, 2]);
      await store.append(buildUnit('wallet-1', 1, 12));
    });
  });

  describe('given units with streams of their own that all end in one stream, each building on the one before', () => {
    it('when none conflicts, then all are stored in order, and each can be repeated', async () => {
      const store = getStore();
      await Promise.all(UNITS.map((unit) => store.append(unit)));
      expect(getNumbers(await readAll(store, 'wallet-1'))).toEqual(NUMBERS);
      const repeated = await Promise.all(UNITS.map((unit) => getOutcome(store.append(unit))));
      expect(repeated).toEqual(NUMBERS.map(() => 'stored'));
      expect(getNumbers(await readAll(store, 'wallet-1'))).toEqual(NUMBERS);
    });

    it('when one in the middle conflicts, then those before it are stored and those after it conflict', async () => {
      const store = getStore();
      await store.append(buildUnit('payment-50', NO_STREAM, 1_000));
      const outcomes = await Promise.all(UNITS.map((unit) => getOutcome(store.append(unit))));
      expect(outcomes).toEqual(NUMBERS.map((number) => (number < 50 ? 'stored' : 'RevisionConflict')));
      expect(getNumbers(await readAll(store, 'wallet-1'))).toEqual(NUMBERS.slice(0, 50));
    });
  });

  it('given pairs of units over the same two streams in opposite order, when they are appended at once with other units, then none waits for the other', async () => {
    const store = getStore();
    const rounds = Array.from({ length: 50 }, (_, round) => round);
    const appended = rounds.flatMap((round) => [
      store.append([buildAppend('wallet-1', 2 * round - 1, [1]), buildAppend('wallet-2', 2 * round - 1, [1])]),
      store.append([buildAppend(`payment-${round}`, NO_STREAM, [3]), buildAppend('wallet-3', round - 1, [3])]),
      store.append([buildAppend('wallet-2', 2 * round, [2]), buildAppend('wallet-1', 2 * round, [2])]),
      store.append(buildUnit(`wallet-of-${round}`, NO_STREAM, 4)),
    ]);
    await Promise.all(appended);
    for (const stream of ['wallet-1', 'wallet-2']) {
      expect(getNumbers(await readAll(store, stream))).toEqual(rounds.flatMap(() => [1, 2]));
    }
  });
}

/** The contract of every adapter whose log several processes share. */
export function describeOtherWriters(createBackend: () => Promise<StoreBackend>): void {
  it('given units that all end in one stream, when another process writes to it, then each is either stored once or a conflict', async () => {
    const backend = await createBackend();
    const [store, other] = [await backend.open(), await backend.open()];
    try {
      const appended = Promise.all(UNITS.map((unit) => getOutcome(store.append(unit))));
      await appendAtEnd(other, 'wallet-1', 1_000);
      const outcomes = await appended;
      const expected = NUMBERS.filter((number) => outcomes[number] === 'stored');
      const stored = getNumbers(await readAll(other, 'wallet-1'));
      expect(stored.filter((number) => number !== 1_000)).toEqual(expected);
      expect(stored.filter((number) => number === 1_000)).toHaveLength(1);
    } finally {
      await store.close();
      await other.close();
      await backend.drop();
    }
  });
}
