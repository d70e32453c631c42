import { getNumbers, readAll, buildUnit } from './contract.fixture.js';
import { NO_STREAM, RevisionConflict, StoreUnavailable } from './event-store.js';
import { handle } from './execute-command.js';
import { InMemoryEventStore } from './in-memory-event-store.js';
import { EVENT_STORE_LIMITS } from './limits.js';

describe('handle', () => {
  let store: InMemoryEventStore;
  const load = async () => (await readAll(store, 'wallet-1')).length;
  const addOne = (count: number) => ({ unit: buildUnit('wallet-1', count - 1, count), answer: count });

  beforeEach(() => {
    store = new InMemoryEventStore();
  });
  afterEach(() => store.close());

  it('given a command, when it is handled, then its unit is stored and its answer comes with the position', async () => {
    expect(await handle(store, { load, decide: addOne })).toEqual({ answer: 0, position: 1 });
    expect(await handle(store, { load, decide: addOne })).toEqual({ answer: 1, position: 2 });
  });

  it('given nothing to record, when it is handled, then only the answer comes', async () => {
    const decide = () => ({ unit: [], answer: 'as it was' });
    expect(await handle(store, { load, decide })).toEqual({ answer: 'as it was', position: null });
  });

  it('given another writer who was faster, when it is handled, then it loads and decides again', async () => {
    let loads = 0;
    const disturbed = async () => {
      loads += 1;
      const count = await load();
      if (loads === 1) await store.append(buildUnit('wallet-1', NO_STREAM, 7));
      return count;
    };
    expect(await handle(store, { load: disturbed, decide: addOne })).toEqual({ answer: 1, position: 2 });
    expect(loads).toBe(2);
    expect(getNumbers(await readAll(store, 'wallet-1'))).toEqual([7, 1]);
  });

  it('given writers who are always faster, when the tries are used up, then it is unavailable', async () => {
    let loads = 0;
    const always = {
      load: async () => (loads += 1),
      decide: () => ({ unit: buildUnit('wallet-1', 99, 1), answer: 0 }),
    };
    await expect(handle(store, always)).rejects.toThrow(StoreUnavailable);
    expect(loads).toBe(EVENT_STORE_LIMITS.commandTries);
  });

  it('given a refusal or a failing store, when it is handled, then it is not tried again', async () => {
    let loads = 0;
    const count = async () => (loads += 1);
    const refuse = () => {
      throw new RangeError('not that much');
    };
    await expect(handle(store, { load: count, decide: refuse })).rejects.toThrow(RangeError);
    await store.close();
    await expect(handle(store, { load: count, decide: addOne })).rejects.toThrow(StoreUnavailable);
    expect(loads).toBe(2);
  });

  it('given many commands at once, when they are handled, then each is recorded once', async () => {
    const outcomes = await Promise.allSettled(Array.from({ length: 6 }, () => handle(store, { load, decide: addOne })));
    const done = outcomes.filter(({ status }) => status === 'fulfilled');
    expect(await load()).toBe(done.length);
    expect(
      outcomes.some((outcome) => outcome.status === 'rejected' && outcome.reason instanceof RevisionConflict),
    ).toBe(false);
  });
});
