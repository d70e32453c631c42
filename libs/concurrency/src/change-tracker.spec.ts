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
    changes.record(['a']);
    changes.record(['b']);
    const read = readNow('x');
    changes.record(['c']);
    const later = readNow('x');
    for (const key of ['d', 'e']) changes.record([key]);
    // Two keys are left: the changes of a, b and c are forgotten.
    expect([changes.isCurrent(read), changes.isCurrent(later)]).toEqual([false, true]);
    expect(changes.isCurrent({ ...later, dependsOn: ['d'] })).toBe(false);
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
