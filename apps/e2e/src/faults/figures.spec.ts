import { KAFKA_TOPICS } from '@settle/contracts';
import type { WirePayment } from '../wire.js';
import { figuresOf, type Figures } from './figures.fixture.js';
import type { Outcome, Sent } from '../paced-load.fixture.js';

const payer = { id: '1852942301724180481', token: 'token' };
const acknowledged: Outcome = { kind: 'acknowledged', paymentId: '7', status: 'settled', amount: 0.05 };
const refused: Outcome = { kind: 'refused' };
const happened: Outcome = { kind: 'unknown', paymentId: null };
const notHappened: Outcome = { kind: 'unknown', paymentId: '7' };
const there = { id: '7', status: 'settled', amount: 0.05 } as WirePayment;

const sent = (outcome: Outcome, sentAtMs = 0, endedAtMs = 10): Sent => {
  return { note: 'n', payer, amount: 0.05, sentAtMs, endedAtMs, outcome };
};

/** Of one payment and what is found of it. */
function figures(outcome: Outcome, found: readonly WirePayment[], hasHappened = false): Partial<Figures> {
  return figuresOf({
    fault: 'any',
    sent: [sent(outcome)],
    struckAtMs: [0],
    happened: new Set(hasHappened ? ['n'] : []),
    byNote: new Map([['n', found]]),
  });
}

describe('the figures of a fault', () => {
  it.each([
    ['is there as it was acknowledged', [there], { lost: 0, doubled: 0 }],
    ['is not there', [], { lost: 1, doubled: 0 }],
    ['is there in another state', [{ ...there, status: 'failed' }], { lost: 1, doubled: 0 }],
    ['is there with another amount', [{ ...there, amount: 0.06 }], { lost: 1, doubled: 0 }],
    ['is there twice', [there, { ...there, id: '8' }], { lost: 0, doubled: 1 }],
  ])('given an acknowledged payment that %s, then it is counted so', (_what, found, counted) => {
    expect(figures(acknowledged, found)).toMatchObject({ acknowledged: 1, failed: 0, ...counted });
  });

  it.each([
    { what: 'was refused and is not there', outcome: refused, found: [], counted: { refused: 1, doubled: 0 } },
    { what: 'was refused and is there', outcome: refused, found: [there], counted: { refused: 1, doubled: 1 } },
    { what: 'had happened', outcome: happened, found: [there], counted: { happened: 1, doubled: 0 } },
    { what: 'had happened, twice', outcome: happened, found: [there, there], counted: { happened: 1, doubled: 1 } },
    { what: 'had not happened', outcome: notHappened, found: [], counted: { happened: 0, doubled: 0 } },
    { what: 'appeared too late', outcome: notHappened, found: [there], counted: { happened: 0, doubled: 1 } },
  ])('given a payment that $what, then it is counted so', ({ outcome, found, counted }) => {
    const all = figures(outcome, found, outcome === happened);
    expect(all).toMatchObject({ acknowledged: 0, failed: 1, lost: 0, ...counted });
  });

  it('given two strikes, when answers are missing after each, then the longest gap after a strike counts', () => {
    const all = [10, 100, 400, 500, 1_500].map((endedAtMs) => sent(acknowledged, endedAtMs - 5, endedAtMs));
    const { longestGapMs, servedAgainMs, p50Ms } = figuresOf({
      fault: 'any',
      sent: all,
      struckAtMs: [150, 900],
      happened: new Set(),
      byNote: new Map(),
    });
    expect([longestGapMs, servedAgainMs, p50Ms]).toEqual([1_000, 600, 5]);
  });

  it('given a share that is cut off, when it is not served for long, then how soon it is served again does not count', () => {
    const observed = {
      fault: 'any',
      sent: [sent(acknowledged, 5_000, 5_010)],
      struckAtMs: [0],
      happened: new Set<string>(),
      byNote: new Map(),
    };
    const everyShare = new Set(Array.from({ length: KAFKA_TOPICS.paymentsCommands.partitions }, (_, share) => share));
    expect(figuresOf(observed).servedAgainMs).toBe(5_010);
    expect(figuresOf({ ...observed, cutOffShares: everyShare }).servedAgainMs).toBe(0);
  });
});
