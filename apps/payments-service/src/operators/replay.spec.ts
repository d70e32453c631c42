import { jest } from '@jest/globals';
import { replay } from './replay.js';

describe('replay', () => {
  it('given a signal that has aborted, when a log is replayed, then it rejects and nothing is subscribed to', async () => {
    const subscribe = jest.fn(() => ({ stop: () => Promise.resolve() }));
    const source = { store: { subscribe, readStream: () => Promise.resolve([]) }, say: () => undefined };
    const range = { name: 'spec', streamPrefixes: [''], upTo: 1, signal: AbortSignal.abort() };
    await expect(replay(source, range, () => Promise.resolve())).rejects.toThrow('The replay was stopped');
    expect(subscribe).not.toHaveBeenCalled();
  });
});
