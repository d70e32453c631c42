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

  beforeEach(() => {
    jest.useFakeTimers();
    [provider, refusal, refused, isRead] = ['unknown', null, [], false];
    gate = new FundingGate({
      readProvider: () => Promise.resolve(provider),
      requireMode: () => (refusal === null ? Promise.resolve() : Promise.reject(refusal)),
      isReadToEnd: () => (isRead instanceof Error ? Promise.reject(isRead) : Promise.resolve(isRead)),
      logger: createLogger({ level: 'silent', service: 'spec' }),
      onRefused: (error) => refused.push(error),
    });
    gate.start();
  });
  afterEach(async () => {
    await gate.stop();
    jest.useRealTimers();
  });

  const pass = (ms: number) => jest.advanceTimersByTimeAsync(ms);
  const state = () => [gate.isChecked(), gate.mayBegin(), gate.mayEnd()];

  it('given a provider that answers and changes that are read, when started, then everything may begin at once', async () => {
    [provider, isRead] = [info, true];
    await pass(0);
    await gate.awaitFirst(startWaitMs);
    await gate.whenChecked;
    expect([...state(), gate.isLive()]).toEqual([true, true, true, true]);
  });

  it('given a provider that does not answer, when started, then the start goes on and funding begins once it answers', async () => {
    isRead = true;
    await gate.awaitFirst(startWaitMs);
    await pass(checkRetryMaxMs);
    expect(state()).toEqual([false, false, true]);
    provider = info;
    await pass(checkRetryMaxMs);
    expect(state()).toEqual([true, true, true]);
  });

  it('given an answer that takes long, when started, then the start waits no longer than its bound', async () => {
    await gate.stop();
    const silent = new FundingGate({
      readProvider: () => new Promise((resolve) => setTimeout(resolve, 60_000, info)),
      requireMode: () => Promise.resolve(),
      isReadToEnd: () => Promise.resolve(true),
      logger: createLogger({ level: 'silent', service: 'spec' }),
      onRefused: (error) => refused.push(error),
    });
    silent.start();
    let hasStarted = false;
    void silent.awaitFirst(startWaitMs).then(() => (hasStarted = true));
    await pass(startWaitMs);
    expect([hasStarted, silent.isChecked()]).toEqual([true, false]);
    await pass(60_000);
    expect(silent.isChecked()).toBe(true);
    await silent.stop();
  });

  it('given changes that were not read since a restore, when they are read, then what waits may begin and end', async () => {
    [provider, isRead] = [info, new Error('unavailable')];
    await pass(readPollMs);
    isRead = false;
    await pass(10 * readPollMs);
    expect(state()).toEqual([true, false, false]);
    isRead = true;
    await pass(readPollMs);
    expect(state()).toEqual([true, true, true]);
  });

  it('given a provider that must not be used, when it answers during the start, then the start fails', async () => {
    await gate.stop();
    refusal = new SettingsError(['FUNDING_PROVIDER_URL: no']);
    const wrong = new FundingGate({
      readProvider: () => Promise.resolve(info),
      requireMode: () => Promise.reject(refusal ?? new Error('none')),
      isReadToEnd: () => Promise.resolve(true),
      logger: createLogger({ level: 'silent', service: 'spec' }),
      onRefused: (error) => refused.push(error),
    });
    wrong.start();
    await expect(wrong.awaitFirst(startWaitMs)).rejects.toBe(refusal);
    expect([wrong.isChecked(), refused]).toEqual([false, []]);
    await wrong.stop();
  });

  it('given a provider that must not be used, when it answers after the start, then the process is told once', async () => {
    isRead = true;
    await gate.awaitFirst(startWaitMs);
    [provider, refusal] = [info, new SettingsError(['FUNDING_PROVIDER_URL: no'])];
    await pass(3 * checkRetryMaxMs);
    expect([state(), refused]).toEqual([[false, false, true], [refusal]]);
  });
});
