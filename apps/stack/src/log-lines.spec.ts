import type { ChildProcess } from 'node:child_process';
import { PassThrough } from 'node:stream';
import { LogLines } from './log-lines.js';

describe('LogLines', () => {
  it('given a process that could not be started, when it has no streams, then there is nothing to follow', () => {
    const lines = new LogLines(new PassThrough(), false);
    expect(() => lines.follow('one', {} as ChildProcess)).not.toThrow();
    expect(lines.lastComplaintOf('one')).toBeNull();
  });
});
