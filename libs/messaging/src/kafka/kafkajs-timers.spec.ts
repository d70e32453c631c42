import { createRequire } from 'node:module';
import { jest } from '@jest/globals';
import { PATCHED_VERSION, patchKafkajs } from './kafkajs-patches.js';

const require = createRequire(import.meta.url);

interface Queue {
  throttledUntil: number;
  pending: object[];
  throttleCheckTimeoutId?: NodeJS.Timeout | null;
  scheduleCheckPendingRequests(): void;
  checkPendingRequests(): void;
}

function queue(): Queue {
  const RequestQueue = require('kafkajs/src/network/requestQueue') as { prototype: Queue };
  return Object.assign(Object.create(RequestQueue.prototype) as Queue, { throttledUntil: -1, pending: [] });
}

describe('the timers of kafkajs', () => {
  afterEach(() => void jest.useRealTimers());

  it('given the installed kafkajs, when its version is read, then it is the one that the patch was written for', () => {
    expect(require('kafkajs/package.json')).toMatchObject({ version: PATCHED_VERSION });
    expect(patchKafkajs()).toBe(true);
  });

  it('given an idle connection, when it is scheduled, then there is no timer', () => {
    jest.useFakeTimers();
    patchKafkajs();
    queue().scheduleCheckPendingRequests();
    expect(jest.getTimerCount()).toBe(0);
  });

  it.each([
    ['a request waits', { pending: [{}] }],
    ['the broker asked for patience', { throttledUntil: Date.now() + 60_000 }],
  ])('given %s, when it is scheduled twice, then it looks again once', (_what, state) => {
    jest.useFakeTimers();
    patchKafkajs();
    const looked = jest.fn();
    const one = Object.assign(queue(), state, { checkPendingRequests: looked });
    one.scheduleCheckPendingRequests();
    one.scheduleCheckPendingRequests();
    expect(jest.getTimerCount()).toBe(1);
    jest.runOnlyPendingTimers();
    expect(looked).toHaveBeenCalledTimes(1);
  });
});
