import { KAFKA_TOPICS } from '@settle/contracts';
import type { WirePayment } from '../wire.js';
import { computeFigures, type Figures } from './figures.fixture.js';
import type { Outcome, SentPayment } from '../paced-load.fixture.js';

const payer = { id: '1852942301724180481', token: 'token' };
const acknowledged: Outcome = { kind: 'acknowledged', paymentId: '7', status: 'settled', amount: 0.05 };
const refused: Outcome = { kind: 'refused' };
const tookEffect: Outcome = { kind: 'unknown', paymentId: null };
const notHappened: Outcome = { kind: 'unknown', paymentId: '7' };
const there = { id: '7', status: 'settled', amount: 0.05 } as WirePayment;

const sent = (outcome: Outcome, sentAtMs = 0, endedAtMs = 10): SentPayment => {
  return { note: 'n', payer, amount: 0.05, sentAtMs, endedAtMs, outcome };
};

/** Returns the figures of one payment and of the payments that were found for it. */
function figures(outcome: Outcome, found: readonly WirePayment[], tookEffect = false): Partial<Figures> {
  return computeFigures({
    fault: 'any',
    sent: [sent(outcome)],
    struckAtMs: [0],
    tookEffect: new Set(tookEffect ? ['n'] : []),
    byNote: new Map([['n', found]]),
  });
}

describe('the figures of a fault', () => {
  it.each([
    ['exists as it was acknowledged', [there], { lost: 0, doubled: 0 }],
    ['does not exist', [], { lost: 1, doubled: 0 }],
    ['exists in another state', [{ ...there, status: 'failed' }], { lost: 1, doubled: 0 }],
    ['exists with another amount', [{ ...there, amount: 0.06 }], { lost: 1, doubled: 0 }],
    ['exists twice', [there, { ...there, id: '8' }], { lost: 0, doubled: 1 }],
  ])(
    'given an acknowledged payment that %s, when the figures are computed, then it is counted so',
    (_what, found, counted) => {
      expect(figures(acknowledged, found)).toMatchObject({ acknowledged: 1, failed: 0, ...counted });
    },
  );

  it.each([
    { what: 'was rejected and does not exist', outcome: refused, found: [], counted: { refused: 1, doubled: 0 } },
    { what: 'was rejected and exists', outcome: refused, found: [there], counted: { refused: 1, doubled: 1 } },
    { what: 'took effect', outcome: tookEffect, found: [there], counted: { tookEffect: 1, doubled: 0 } },
    { what: 'took effect twice', outcome: tookEffect, found: [there, there], counted: { tookEffect: 1, doubled: 1 } },
    { what: 'did not take effect', outcome: notHappened, found: [], counted: { tookEffect: 0, doubled: 0 } },
    { what: 'appeared too late', outcome: notHappened, found: [there], counted: { tookEffect: 0, doubled: 1 } },
  ])(
    'given a payment that $what, when the figures are computed, then it is counted so',
    ({ outcome, found, counted }) => {
      const all = figures(outcome, found, outcome === tookEffect);
      expect(all).toMatchObject({ acknowledged: 0, failed: 1, lost: 0, ...counted });
    },
  );

  it('given two strikes, when responses are missing after each, then the longest gap after a strike counts', () => {
    const all = [10, 100, 400, 500, 1_500].map((endedAtMs) => sent(acknowledged, endedAtMs - 5, endedAtMs));
    const { longestGapMs, servedAgainMs, p50Ms } = computeFigures({
      fault: 'any',
      sent: all,
      struckAtMs: [150, 900],
      tookEffect: new Set(),
      byNote: new Map(),
    });
    expect([longestGapMs, servedAgainMs, p50Ms]).toEqual([1_000, 600, 5]);
  });

  it('given partitions that are cut off, when they are not served for long, then their recovery time does not count', () => {
    const observed = {
      fault: 'any',
      sent: [sent(acknowledged, 5_000, 5_010)],
      struckAtMs: [0],
      tookEffect: new Set<string>(),
      byNote: new Map(),
    };
    const everyShare = new Set(Array.from({ length: KAFKA_TOPICS.paymentsCommands.partitions }, (_, share) => share));
    expect(computeFigures(observed).servedAgainMs).toBe(5_010);
    expect(computeFigures({ ...observed, cutOffPartitions: everyShare }).servedAgainMs).toBe(0);
  });
});
