import type { ChildProcess } from 'node:child_process';
import { PassThrough } from 'node:stream';
import { LIMITS } from '@settle/config';
import { eventually } from '@settle/testing';
import { LogLines } from './log-lines.js';

describe('LogLines', () => {
  it('given a process that could not be started, when it has no streams, then there is nothing to follow', () => {
    const lines = new LogLines(new PassThrough(), false);
    expect(() => lines.follow('one', {} as ChildProcess)).not.toThrow();
    expect(lines.lastComplaintOf('one')).toBeNull();
  });

  it('given an output that is not read, when a process goes on writing, then lines beyond a bound are dropped, which the next line says', async () => {
    const output = new PassThrough();
    const lines = new LogLines(output, false);
    const stdout = new PassThrough();
    lines.follow('one', { stdout, stderr: null } as unknown as ChildProcess);
    const line = `{"msg":"${'x'.repeat(65_000)}"}\n`;
    const { bufferBytes } = LIMITS.observability;
    for (let written = 0; written < 2 * bufferBytes; written += line.length) {
      stdout.write(line);
      await new Promise(setImmediate);
    }
    expect(output.writableLength).toBeLessThan(1.1 * bufferBytes);
    output.resume();
    const seen: string[] = [];
    output.on('data', (chunk: Buffer) => seen.push(chunk.toString().slice(0, 100)));
    await eventually(() => {
      stdout.write('{"msg":"again"}\n');
      expect(seen.join()).toMatch(/stack: \d+ lines were dropped/);
    });
  });
});
