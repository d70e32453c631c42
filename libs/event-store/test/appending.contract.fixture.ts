import { NO_STREAM, RevisionConflict, StoreUnavailable, type EventStore } from '../src/event-store.js';
import {
  appendAtEnd,
  buildAppend,
  getNumbers,
  getOutcome,
  readAll,
  buildUnit,
  ATOMIC_UNITS,
  type StoreBackend,
} from './contract.fixture.js';
import { describeWaitingUnits } from './waiting-units.contract.fixture.js';

/** The contract of every adapter for appends and reads. */
export function describeAppending(
  createBackend: () => Promise<StoreBackend>,
  { storesUnitsAtomically } = ATOMIC_UNITS,
): void {
  let backend: StoreBackend;
  let store: EventStore;

  beforeEach(async () => {
    backend = await createBackend();
    store = await backend.open();
  });
  afterEach(async () => {
    await store.close();
    await backend.drop();
  });

  describe('given an empty store', () => {
    it('when a stream is read, then it is empty in both directions', async () => {
      expect(await readAll(store, 'wallet-1')).toEqual([]);
      expect(await store.readStream('wallet-1', { direction: 'backwards', limit: 1 })).toEqual([]);
    });

    it('when a unit is appended, then it reads back unchanged, at the returned position', async () => {
      const unit = buildUnit('wallet-1', NO_STREAM, 1, 2);
      const { position } = await store.append(unit);
      const events = await readAll(store, 'wallet-1');
      const sent = unit[0]!.events;
      expect(events.map(({ id, type, data }) => ({ id, type, data }))).toEqual(sent);
      expect(events.map(({ stream, revision }) => [stream, revision])).toEqual([
        ['wallet-1', 0],
        ['wallet-1', 1],
      ]);
      const [first, last] = events.map((event) => event.position);
      expect(last).toBe(position);
      if (storesUnitsAtomically) expect(first).toBe(position - 1);
      else expect(first).toBeLessThan(position);
    });

    it('when a unit appends to one stream several times, then the stream has its events in order', async () => {
      await store.append([
        buildAppend('payment-1', NO_STREAM, [1]),
        buildAppend('wallet-1', NO_STREAM, [2]),
        buildAppend('payment-1', 0, [3]),
        buildAppend('wallet-2', NO_STREAM, [4]),
        buildAppend('payment-1', 1, [5]),
      ]);
      expect(getNumbers(await readAll(store, 'payment-1'))).toEqual([1, 3, 5]);
      expect(getNumbers(await readAll(store, 'wallet-2'))).toEqual([4]);
    });

    it('when the revisions of a unit contradict each other, then it is a conflict and nothing is stored', async () => {
      const unit = [buildAppend('payment-1', NO_STREAM, [1]), buildAppend('payment-1', 4, [2])];
      await expect(store.append(unit)).rejects.toThrow(RevisionConflict);
      expect(await readAll(store, 'payment-1')).toEqual([]);
    });

    it.each([
      ['no append', []],
      ['an append without events', [{ stream: 'a', expectedRevision: NO_STREAM, events: [] }]],
      ['a space in a stream name', buildUnit('a b', NO_STREAM, 1)],
      ['a revision less than NO_STREAM', buildUnit('a', -2, 1)],
      [
        'concurrent appends to one stream',
        [buildAppend('a', NO_STREAM, [1]), { ...buildAppend('a', 0, [2]), isConcurrent: true }],
      ],
      ['an id that is not a UUID', [{ stream: 'a', expectedRevision: -1, events: [{ id: 'x', type: 'A', data: {} }] }]],
    ])('when a unit has %s, then it is rejected as a bug of the caller', async (_what, unit) => {
      await expect(store.append(unit)).rejects.toThrow(TypeError);
    });
  });

  describe('given a stream of three events', () => {
    const first = buildUnit('wallet-1', NO_STREAM, 1, 2, 3);
    beforeEach(() => store.append(first));

    it.each([
      ['too low', 1],
      ['too high', 3],
      ['far too high', 99],
      ['no stream', NO_STREAM],
    ])('when the expected revision is %s, then it is a conflict and nothing is written', async (_what, expected) => {
      await expect(store.append(buildUnit('wallet-1', expected, 4))).rejects.toThrow(
        new RevisionConflict('wallet-1', expected),
      );
      expect(getNumbers(await readAll(store, 'wallet-1'))).toEqual([1, 2, 3]);
    });

    const half = [buildAppend('payment-1', NO_STREAM, [1]), buildAppend('wallet-1', 1, [2])];

    it('when the second append of a unit conflicts, then nothing is stored, or only the first append', async () => {
      await expect(store.append(half)).rejects.toThrow(new RevisionConflict('wallet-1', 1));
      expect(getNumbers(await readAll(store, 'payment-1'))).toEqual(storesUnitsAtomically ? [] : [1]);
      expect(getNumbers(await readAll(store, 'wallet-1'))).toEqual([1, 2, 3]);
    });

    it('when one of two concurrent appends conflicts, then it is a conflict, and what is stored is completed by the rest', async () => {
      const unit = [
        buildAppend('payment-1', NO_STREAM, [1]),
        buildAppend('wallet-1', 1, [2]),
        { ...buildAppend('payment-1', 0, [3]), isConcurrent: true },
      ];
      await expect(store.append(unit)).rejects.toThrow(new RevisionConflict('wallet-1', 1));
      expect(getNumbers(await readAll(store, 'wallet-1'))).toEqual([1, 2, 3]);
      expect(getNumbers(await readAll(store, 'payment-1'))).toEqual(storesUnitsAtomically ? [] : [1, 3]);
      await new Promise((resolve) => setImmediate(resolve));
      const rest = { ...unit[1]!, expectedRevision: 2 };
      await store.append(storesUnitsAtomically ? [unit[0]!, rest, unit[2]!] : [rest]);
      expect(getNumbers(await readAll(store, 'wallet-1'))).toEqual([1, 2, 3, 2]);
      expect(getNumbers(await readAll(store, 'payment-1'))).toEqual([1, 3]);
    });

    it('when a unit with concurrent appends is appended twice, then both succeed with one position and it is stored once', async () => {
      const unit = [
        buildAppend('payment-1', NO_STREAM, [1]),
        buildAppend('payment-1', 0, [2]),
        { ...buildAppend('wallet-1', 2, [4]), isConcurrent: true },
      ];
      const result = await store.append(unit);
      expect(await store.append(unit)).toEqual(result);
      expect(getNumbers(await readAll(store, 'payment-1'))).toEqual([1, 2]);
      const wallet = await readAll(store, 'wallet-1');
      expect(getNumbers(wallet)).toEqual([1, 2, 3, 4]);
      const stored = [...wallet, ...(await readAll(store, 'payment-1'))];
      expect(result.position).toBe(Math.max(...stored.map(({ position }) => position)));
    });

    it('when a unit that conflicted is decided again, then it is stored completely and once', async () => {
      await expect(store.append(half)).rejects.toThrow(RevisionConflict);
      await new Promise((resolve) => setImmediate(resolve));
      const decided = [half[0]!, { ...half[1]!, expectedRevision: 2 }];
      // A partly stored unit is a conflict: the writer reads it and appends the rest.
      if (!storesUnitsAtomically) expect(await getOutcome(store.append(decided))).toBe('RevisionConflict');
      await new Promise((resolve) => setImmediate(resolve));
      await store.append(storesUnitsAtomically ? decided : decided.slice(1));
      expect(getNumbers(await readAll(store, 'payment-1'))).toEqual([1]);
      expect(getNumbers(await readAll(store, 'wallet-1'))).toEqual([1, 2, 3, 2]);
    });

    it('when only the first append of a unit is stored already, then the unit is a conflict and nothing is added', async () => {
      const unit = [buildAppend('payment-1', NO_STREAM, [1]), buildAppend('wallet-1', 2, [4])];
      await store.append(unit);
      const again = [unit[0]!, { ...unit[1]!, expectedRevision: 3 }];
      await expect(store.append(again)).rejects.toThrow(RevisionConflict);
      expect(getNumbers(await readAll(store, 'wallet-1'))).toEqual([1, 2, 3, 4]);
    });

    it('when the same unit is appended again, then it succeeds with the same position and nothing is written', async () => {
      const again = await store.append(first);
      await store.append(buildUnit('wallet-1', 2, 4));
      expect(await store.append(first)).toEqual(again);
      expect(getNumbers(await readAll(store, 'wallet-1'))).toEqual([1, 2, 3, 4]);
      expect(again.position).toBe((await readAll(store, 'wallet-1'))[2]!.position);
    });

    it('when the same unit is appended twice at once, then both appends succeed and it is stored once', async () => {
      const unit = buildUnit('wallet-1', 2, 4);
      const [one, two] = await Promise.all([store.append(unit), store.append(unit)]);
      expect(one).toEqual(two);
      expect(getNumbers(await readAll(store, 'wallet-1'))).toEqual([1, 2, 3, 4]);
    });

    it('when the same ids are appended at an earlier revision, then it is a conflict', async () => {
      const moved = [{ ...first[0]!, expectedRevision: 0 }];
      await expect(store.append(moved)).rejects.toThrow(RevisionConflict);
    });

    it('when it is read, then the direction, the first revision and the limit are respected', async () => {
      const read = async (direction: 'forwards' | 'backwards', limit: number, fromRevision?: number) =>
        getNumbers(
          await store.readStream('wallet-1', {
            direction,
            limit,
            ...(fromRevision === undefined ? {} : { fromRevision }),
          }),
        );
      expect(await read('forwards', 2)).toEqual([1, 2]);
      expect(await read('forwards', 9, 1)).toEqual([2, 3]);
      expect(await read('forwards', 9, 3)).toEqual([]);
      expect(await read('backwards', 2)).toEqual([3, 2]);
      expect(await read('backwards', 9, 1)).toEqual([2, 1]);
    });

    it('when several streams are read in one turn, then each read gets the events of its own range', async () => {
      await store.append([buildAppend('wallet-2', NO_STREAM, [7, 8])]);
      const newest = { direction: 'backwards', limit: 1 } as const;
      const forwards = (fromRevision: number, limit: number) =>
        ({ direction: 'forwards', fromRevision, limit }) as const;
      const read = await Promise.all([
        store.readStream('wallet-1', newest),
        store.readStream('wallet-2', newest),
        store.readStream('wallet-3', newest),
        store.readStream('wallet-1', newest),
        store.readStream('wallet-1', forwards(1, 9)),
        store.readStream('wallet-1', forwards(2, 9)),
        store.readStream('wallet-2', forwards(0, 1)),
        store.readStream('wallet-3', forwards(0, 9)),
      ]);
      expect(read.map(getNumbers)).toEqual([[3], [8], [], [3], [2, 3], [3], [7], []]);
    });

    it('when the store is opened again, then the stream has its events and accepts further ones', async () => {
      await store.close();
      store = await backend.open();
      await store.append(buildUnit('wallet-1', 2, 4));
      expect(getNumbers(await readAll(store, 'wallet-1'))).toEqual([1, 2, 3, 4]);
      await expect(store.append(buildUnit('wallet-1', 4, 6))).rejects.toThrow(RevisionConflict);
      expect(await store.append(first)).toEqual({ position: expect.any(Number) });
    });
  });

  describeWaitingUnits(() => store);

  it('given many writers of one stream, when they append at once, then each revision is stored once', async () => {
    // All remaining writers compete for each revision: the number of appends is quadratic in the number of writers.
    const numbers = Array.from({ length: 32 }, (_, number) => number);
    await Promise.all(numbers.map((number) => appendAtEnd(store, 'wallet-1', number)));
    const events = await readAll(store, 'wallet-1');
    expect(events.map(({ revision }) => revision)).toEqual(numbers);
    expect(getNumbers(events).sort((left, right) => left - right)).toEqual(numbers);
  });

  it('given many writers at the same revision, when they append at once, then exactly one is stored', async () => {
    const units = Array.from({ length: 50 }, (_, number) => buildUnit('wallet-1', NO_STREAM, number));
    const outcomes = await Promise.all(units.map((unit) => getOutcome(store.append(unit))));
    expect(outcomes.filter((outcome) => outcome === 'stored')).toHaveLength(1);
    expect(outcomes.filter((outcome) => outcome === 'RevisionConflict')).toHaveLength(49);
  });

  it('given a closed store, when a unit is appended, then it is rejected and nothing is stored', async () => {
    await store.close();
    await expect(store.append(buildUnit('wallet-1', NO_STREAM, 1))).rejects.toThrow(StoreUnavailable);
    store = await backend.open();
    expect(await readAll(store, 'wallet-1')).toEqual([]);
  });
}
