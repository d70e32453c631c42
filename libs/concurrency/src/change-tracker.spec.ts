import { ChangeTracker } from './change-tracker.js';

let changes: ChangeTracker;
beforeEach(() => {
  changes = new ChangeTracker(4);
  changes.resume();
});

const readNow = (...dependsOn: string[]) => ({ readAt: changes.position, dependsOn });

describe('ChangeTracker', () => {
  it('given a result, when other keys change, then it is current until one of its own does', () => {
    const read = readNow('a', 'b');
    changes.record(['c']);
    expect(changes.isCurrent(read)).toBe(true);
    changes.record(['d', 'b']);
    expect([changes.isCurrent(read), changes.isCurrent(readNow('a', 'b'))]).toEqual([false, true]);
  });

  it('given a result that depends on nothing, when anything may have changed, then it is not current', () => {
    const read = readNow();
    changes.record(['a']);
    expect(changes.isCurrent(read)).toBe(true);
    changes.recordAll();
    expect([changes.isCurrent(read), changes.isCurrent(readNow())]).toEqual([false, true]);
  });

  it('given more keys than are kept, when the oldest are forgotten, then results from before their change are not current', () => {
    for (const key of ['a', 'b']) changes.record([key]);
    const read = readNow('x');
    for (const key of ['c', 'd']) changes.record([key]);
    const later = readNow('x');
    for (const key of ['e', 'f']) changes.record([key]);
    // Two keys are left: the changes of a, b, c and d are forgotten.
    expect([changes.isCurrent(read), changes.isCurrent(later)]).toEqual([false, true]);
    expect(changes.isCurrent({ ...later, dependsOn: ['e'] })).toBe(false);
  });

  it('given keys that change again and again, when any number of them is recorded, then a result is never current after its key changed', () => {
    const keys = ['a', 'b', 'c', 'd', 'e', 'f'];
    for (let step = 0; step < 500; step += 1) {
      const key = keys[((step * step + step) % 7) % keys.length] ?? 'a';
      const read = readNow(key);
      changes.record([keys[((step * 5) % 11) % keys.length] ?? 'b']);
      changes.record([key]);
      expect(changes.isCurrent(read)).toBe(false);
      expect(changes.isCurrent(readNow(...keys))).toBe(true);
    }
  });

  it('given a time in which changes go unnoticed, when it has ended, then only results from afterwards are current', () => {
    const before = readNow('a');
    changes.suspend();
    const during = readNow('a');
    expect([before, during, readNow()].map((read) => changes.isCurrent(read))).toEqual([false, false, false]);
    changes.resume();
    expect([before, during, readNow('a')].map((read) => changes.isCurrent(read))).toEqual([false, false, true]);
  });

  it('given a new tracker, when it has not been resumed, then no result is current', () => {
    expect(new ChangeTracker(4).isCurrent({ readAt: 0, dependsOn: [] })).toBe(false);
  });
});
