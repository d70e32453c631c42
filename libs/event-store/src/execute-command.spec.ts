import { getNumbers, readAll, buildUnit } from '../test/contract.fixture.js';
import { NO_STREAM, RevisionConflict, StoreUnavailable } from './event-store.js';
import { executeCommand } from './execute-command.js';
import { InMemoryEventStore } from './in-memory-event-store.js';
import { EVENT_STORE_LIMITS } from './limits.js';

describe('executeCommand', () => {
  let store: InMemoryEventStore;
  const load = async () => (await readAll(store, 'wallet-1')).length;
  const addOne = (count: number) => ({ unit: buildUnit('wallet-1', count - 1, count), answer: count });

  beforeEach(() => {
    store = new InMemoryEventStore();
  });
  afterEach(() => store.close());

  it('given a command, when it is handled, then its unit is stored and the result has its answer and position', async () => {
    expect(await executeCommand(store, { load, decide: addOne })).toEqual({ answer: 0, position: 1 });
    expect(await executeCommand(store, { load, decide: addOne })).toEqual({ answer: 1, position: 2 });
  });

  it('given a command with nothing to record, when it is handled, then the result has no position', async () => {
    const decide = () => ({ unit: [], answer: 'unchanged' });
    expect(await executeCommand(store, { load, decide })).toEqual({ answer: 'unchanged', position: null });
  });

  it('given a concurrent append of another writer, when a command is handled, then it loads and decides again', async () => {
    let loads = 0;
    const loadWithConflict = async () => {
      loads += 1;
      const count = await load();
      if (loads === 1) await store.append(buildUnit('wallet-1', NO_STREAM, 7));
      return count;
    };
    expect(await executeCommand(store, { load: loadWithConflict, decide: addOne })).toEqual({ answer: 1, position: 2 });
    expect(loads).toBe(2);
    expect(getNumbers(await readAll(store, 'wallet-1'))).toEqual([7, 1]);
  });

  it('given a conflict at every attempt, when the last attempt fails, then the store is unavailable', async () => {
    let loads = 0;
    const command = {
      load: async () => (loads += 1),
      decide: () => ({ unit: buildUnit('wallet-1', 99, 1), answer: 0 }),
    };
    await expect(executeCommand(store, command)).rejects.toThrow(StoreUnavailable);
    expect(loads).toBe(EVENT_STORE_LIMITS.commandTries);
  });

  it('given a rejected command or a closed store, when the command is handled, then it is not retried', async () => {
    let loads = 0;
    const countLoads = async () => (loads += 1);
    const reject = () => {
      throw new RangeError('the amount is too large');
    };
    await expect(executeCommand(store, { load: countLoads, decide: reject })).rejects.toThrow(RangeError);
    await store.close();
    await expect(executeCommand(store, { load: countLoads, decide: addOne })).rejects.toThrow(StoreUnavailable);
    expect(loads).toBe(2);
  });

  it('given concurrent commands, when they are handled, then each is recorded once', async () => {
    const outcomes = await Promise.allSettled(
      Array.from({ length: 6 }, () => executeCommand(store, { load, decide: addOne })),
    );
    const fulfilled = outcomes.filter(({ status }) => status === 'fulfilled');
    expect(await load()).toBe(fulfilled.length);
    expect(
      outcomes.some((outcome) => outcome.status === 'rejected' && outcome.reason instanceof RevisionConflict),
    ).toBe(false);
  });
});
