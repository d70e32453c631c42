import { LIMITS } from '@settle/config';
import { runUntilStopped, type Running } from '@settle/lifecycle';
import type { Counts } from './arguments.js';
import { readStackSettings } from './stack-settings.js';
import { Stack } from './stack.js';

/** Is the stack until it is stopped. */
export function runStack(counts: Counts, say: (line: string) => void): Promise<never> {
  const start = async (running: Running) => {
    const settings = await readStackSettings(process.env);
    say(await new Stack(settings, running, say).start(counts));
  };
  return runUntilStopped(start, LIMITS.stack.stopAllWaitMs);
}
