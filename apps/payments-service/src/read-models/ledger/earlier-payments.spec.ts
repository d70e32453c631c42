import type { EventStore } from '@settle/event-store';
import type { Pool } from 'pg';
import { newTouchedPayment } from './batch-fold.js';
import { EarlierPayments } from './earlier-payments.js';

/** Counts every read and returns no rows. */
function counting() {
  const read: string[] = [];
  const store: Pick<EventStore, 'readStream'> = { readStream: (stream) => (read.push(stream), Promise.resolve([])) };
  const pool = { query: () => Promise.resolve({ rows: [] }) } as unknown as Pool;
  return { read, earlier: new EarlierPayments(store, pool) };
}

describe('payments as they were before a batch', () => {
  it('given one that a batch left open, when the next touches it, then it is where it was left and nothing is read', async () => {
    const { read, earlier } = counting();
    earlier.recordWritten([{ ...newTouchedPayment('7'), revision: 1, isNew: true }], () => true);
    const [kept] = await earlier.loadBefore(['7'], 10);
    expect([kept?.revision, kept?.isNew, read]).toEqual([1, false, []]);
  });

  it('given a batch that failed, when it is folded again, then its first try has left nothing', async () => {
    const { earlier } = counting();
    earlier.recordWritten([newTouchedPayment('7')], () => true);
    const [first] = await earlier.loadBefore(['7'], 10);
    first?.steps.set('1', { wasCredited: true } as never);
    expect((await earlier.loadBefore(['7'], 10))[0]?.steps.size).toBe(0);
  });

  it.each([
    ['at its end', (earlier: EarlierPayments) => earlier.recordWritten([newTouchedPayment('7')], () => false)],
    ['left by a batch that another follows elsewhere', (earlier: EarlierPayments) => earlier.clear()],
  ])('given one that is %s, when it is touched again, then it is read', async (_what, happen) => {
    const { read, earlier } = counting();
    earlier.recordWritten([newTouchedPayment('7')], () => true);
    happen(earlier);
    await earlier.loadBefore(['7'], 10);
    expect(read).toEqual(['payment-7']);
  });
});
