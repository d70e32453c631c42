import { TOPICS, type LedgerWatermark } from '@settle/contracts';
import { PublicBooks } from './public-books.fixture.js';
import { WatermarkPromises, type Placed } from './watermark-promises.fixture.js';

const [topic, partition] = [TOPICS.ledgerEntries, 3];

/** A movement of a hundred cents from one account to another. */
const entry = (eventId: string, debitAccount: string, creditAccount: string) =>
  JSON.stringify({ eventId, debitAccount, creditAccount, amountCents: 100, movement: 'payment_debit' });

describe('the books of a consumer', () => {
  const deposit = { topic, epoch: 1, value: entry('e1', 'funding:1', 'wallet:1') };
  const debit = { topic, epoch: 1, value: entry('e2', 'wallet:1', 'transit:7') };
  let books: PublicBooks;
  beforeEach(() => {
    books = new PublicBooks();
  });

  it('given an entry that comes again, when it is taken, then it counts once', () => {
    expect([deposit, debit, deposit].map((record) => books.take(record))).toEqual([true, true, false]);
    expect([books.balanceCents('wallet:1'), books.trialBalanceCents]).toEqual([0, 0]);
  });

  it('given entries of an epoch, when one of a higher epoch comes, then it is the first, and lower ones are dropped', () => {
    books.take(deposit);
    books.take(debit);
    expect(books.take({ ...deposit, epoch: 2 })).toBe(true);
    expect(books.take(debit)).toBe(false);
    expect(books.tables().accounts).toEqual([
      ['funding:1', -100],
      ['wallet:1', 100],
    ]);
  });

  it('given a payment that has ended, when its money is still on its way, then it is unfinished', () => {
    books.take(debit);
    const end = { eventId: 'e3', paymentId: '7', type: 'PaymentCancelled' };
    books.take({ topic: TOPICS.paymentsEvents, epoch: 1, value: JSON.stringify(end) });
    expect(books.unfinishedPayments()).toEqual(['7']);
    books.take({ topic, epoch: 1, value: entry('e4', 'transit:7', 'wallet:1') });
    expect(books.unfinishedPayments()).toEqual([]);
  });
});

describe('what watermarks promise', () => {
  const mark = (position: number, offset: number): LedgerWatermark => ({
    ...{ type: 'LedgerWatermark', time: '2026-11-26T00:00:00.000000Z' },
    partitions: [{ topic, partition, position, offset, epoch: 1 }],
  });
  const record = (offset: number, position: number, epoch = 1): Placed => ({
    ...{ topic, partition, offset, position, epoch },
  });

  it.each([
    ['below its offset', record(4, 10), []],
    ['behind its offset, above its position', record(5, 11), []],
    ['behind its offset, of another epoch', record(5, 10, 2), []],
    ['behind its offset, up to its position', record(5, 10), [{ topic, partition, position: 10, offset: 5, epoch: 1 }]],
  ])('given a record %s, when it is found, then the watermark holds or is named', (_where, found, broken) => {
    const promises = new WatermarkPromises();
    promises.promise(mark(10, 5));
    promises.place(record(3, 2));
    promises.place(found);
    expect(promises.broken()).toEqual(broken);
  });
});
