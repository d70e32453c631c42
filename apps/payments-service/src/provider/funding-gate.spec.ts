import { jest } from '@jest/globals';
import { LIMITS, SettingsError } from '@settle/config';
import { createLogger } from '@settle/observability';
import type { ProviderInfo } from '@settle/provider-api';
import { FundingGate } from './funding-gate.js';

const { checkRetryMaxMs, readPollMs, startWaitMs } = LIMITS.provider;
const info: ProviderInfo = { name: 'Spec', live: true };

describe('FundingGate', () => {
  let gate: FundingGate;
  let provider: ProviderInfo | 'unknown';
  let refusal: Error | null;
  let refused: Error[];
  let isRead: boolean | Error;
  /** How long the provider takes to answer. */
  let answerMs: number;

  beforeEach(() => {
    jest.useFakeTimers();
    [provider, refusal, refused, isRead, answerMs] = ['unknown', null, [], false, 0];
    gate = new FundingGate({
      readProvider: () => new Promise((resolve) => setTimeout(() => resolve(provider), answerMs)),
      requireMode: () => (refusal === null ? Promise.resolve() : Promise.reject(refusal)),
      isReadToEnd: () => (isRead instanceof Error ? Promise.reject(isRead) : Promise.resolve(isRead)),
      logger: createLogger({ level: 'silent', service: 'spec' }),
      onRefused: (error) => refused.push(error),
    });
  });
  afterEach(async () => {
    await gate.stop();
    jest.useRealTimers();
  });

  const pass = (ms: number) => jest.advanceTimersByTimeAsync(ms);
  /** Starts as the service does, which waits for a bounded time. */
  async function start(): Promise<void> {
    gate.start();
    const waited = gate.awaitFirst(startWaitMs);
    waited.catch(() => undefined);
    await pass(2 * startWaitMs);
    await waited;
  }
  const state = () => [gate.isChecked(), gate.mayBegin(), gate.mayEnd()];

  it('given a provider that answers and changes that are read, when started, then everything may begin at once', async () => {
    [provider, isRead] = [info, true];
    await start();
    await gate.whenChecked;
    expect([...state(), gate.isLive()]).toEqual([true, true, true, true]);
  });

  it('given a provider that does not answer, when started, then the start goes on and funding begins once it answers', async () => {
    isRead = true;
    await start();
    await pass(checkRetryMaxMs);
    expect(state()).toEqual([false, false, true]);
    provider = info;
    await pass(checkRetryMaxMs);
    expect(state()).toEqual([true, true, true]);
  });

  it('given an answer that takes long, when started, then the start waits no longer than its bound', async () => {
    [provider, isRead, answerMs] = [info, true, 60_000];
    await start();
    expect(gate.isChecked()).toBe(false);
    await pass(answerMs);
    expect(gate.isChecked()).toBe(true);
  });

  it('given changes that were not read since a restore, when they are read, then what waits may begin and end', async () => {
    [provider, isRead] = [info, new Error('unavailable')];
    await start();
    await pass(readPollMs);
    isRead = false;
    await pass(10 * readPollMs);
    expect(state()).toEqual([true, false, false]);
    isRead = true;
    await pass(readPollMs);
    expect(state()).toEqual([true, true, true]);
  });

  it('given a provider that must not be used, when it answers during the start, then the start fails', async () => {
    [provider, refusal] = [info, new SettingsError(['FUNDING_PROVIDER_URL: no'])];
    await expect(start()).rejects.toBe(refusal);
    expect([gate.isChecked(), refused]).toEqual([false, []]);
  });

  it('given a provider that must not be used, when it answers after the start, then the process is notified once', async () => {
    isRead = true;
    await start();
    [provider, refusal] = [info, new SettingsError(['FUNDING_PROVIDER_URL: no'])];
    await pass(3 * checkRetryMaxMs);
    expect([state(), refused]).toEqual([[false, false, true], [refusal]]);
  });
});
