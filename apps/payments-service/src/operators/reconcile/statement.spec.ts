import { inBatches, linesOf } from './statement-lines.js';
import { movedCents, readHead, readRow } from './statement.js';

const HEAD = 'bank-one,USD,2026-01-01T00:00:00Z,2026-01-02T00:00:00.000Z,0,-250';
const head = readHead(HEAD);
const row = (change: Partial<Record<'key' | 'id' | 'kind' | 'cents' | 'state' | 'time', string>> = {}): string => {
  const fields = {
    key: '1:2:1',
    id: 'ch_1',
    kind: 'charge',
    cents: '500',
    state: 'approved',
    time: '2026-01-01T10:00:00Z',
  };
  return Object.values({ ...fields, ...change }).join(',');
};

async function* chunks(...all: readonly string[]): AsyncGenerator<Buffer> {
  for (const chunk of all) yield Buffer.from(chunk);
}

async function all<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const found: Item[] = [];
  for await (const item of items) found.push(item);
  return found;
}

describe('a statement', () => {
  it('given a first line, when read, then provider, period and sums are returned', () => {
    expect(head).toEqual({
      provider: 'bank-one',
      fromUs: Date.UTC(2026, 0, 1) * 1_000,
      toUs: Date.UTC(2026, 0, 2) * 1_000,
      openingCents: 0,
      closingCents: -250,
    });
  });

  it('given a row, when read, then its money and time are returned in cents and microseconds', () => {
    expect(readRow(row({ time: '2026-01-01T10:00:00.25Z' }), 2, head)).toEqual({
      ...{
        line: 2,
        kind: 'charge',
        key: '1:2:1',
        providerId: 'ch_1',
        cents: 500,
        state: 'approved',
        progress: 'booked',
      },
      atUs: Date.UTC(2026, 0, 1, 10, 0, 0, 250) * 1_000,
    });
  });

  it.each([
    [{}, 500],
    [{ kind: 'repayment', state: 'paid' }, -500],
    [{ kind: 'payout', state: 'paid' }, -500],
    [{ kind: 'payout_return', state: 'returned' }, 500],
    [{ kind: 'reversal', state: 'open' }, -500],
    [{ kind: 'reversal_won', state: 'won' }, 500],
    [{ kind: 'fee', state: 'booked', key: '' }, -500],
    [{ kind: 'fee', state: 'booked', key: '', cents: '-500' }, 500],
    [{ kind: 'settlement', state: '', key: '', id: '' }, -500],
    [{ state: 'pending' }, 0],
    [{ state: 'action_required' }, 0],
    [{ kind: 'payout', state: 'failed' }, 0],
  ])('given %j, when its money is added up, then it counts %d', (change, cents) => {
    expect(movedCents(readRow(row(change), 2, head))).toBe(cents);
  });

  it.each([
    ['bank-one,USD,2026-01-01T00:00:00Z', 'it needs 6 values'],
    [HEAD.replace('USD', 'EUR'), 'the currency is not USD'],
    [HEAD.replace('2026-01-02', '2026-01-01'), 'the period ends before it begins'],
    [HEAD.replace('-250', '2.50'), 'its cents are not a whole number'],
    [HEAD.replace('bank-one', '"bank"'), 'it has a quote'],
    [HEAD.replace('bank-one', ''), 'no name'],
    [HEAD.replace('2026-01-01', '2026-02-30'), 'no time in UTC'],
  ])('given the first line %s, when read, then the error names line 1 and the reason', (text, reason) => {
    expect(() => readHead(text)).toThrow(`line 1 of the statement: `);
    expect(() => readHead(text)).toThrow(reason);
  });

  it.each([
    ['', 'it needs 6 values'],
    [row({ key: '"a"' }), 'it has a quote'],
    [row({ key: '' }), 'its key or id cannot be read'],
    [row({ id: 'a b' }), 'its key or id cannot be read'],
    [row({ kind: 'refund' }), 'its kind is not known'],
    [row({ kind: 'toString' }), 'its kind is not known'],
    [row({ cents: '0' }), 'not above zero'],
    [row({ cents: '-5' }), 'not above zero'],
    [row({ cents: '5.00' }), 'not a whole number'],
    [row({ state: 'paid' }), 'its state is none of a charge'],
    [row({ state: 'constructor' }), 'its state is none of a charge'],
    [row({ time: '2026-01-02T00:00:00Z' }), 'outside the period'],
    [row({ time: '2026-01-01T10:00:00+01:00' }), 'no time in UTC'],
    [row({ time: '2026-01-01T10:61:00Z' }), 'no time in UTC'],
  ])('given the row %s, when read, then the error names its line and the reason', (text, reason) => {
    expect(() => readRow(text, 7, head)).toThrow(/^line 7 of the statement: /);
    expect(() => readRow(text, 7, head)).toThrow(reason);
  });

  it.each([
    [['a,b\nc\n'], ['a,b', 'c']],
    [
      ['a,', 'b\r', '\nc'],
      ['a,b', 'c'],
    ],
    [
      ['\n', '\n'],
      ['', ''],
    ],
    [[], []],
  ])('given the chunks %j, when split into lines, then the lines are %j', async (given, lines) => {
    expect(await all(linesOf(chunks(...given)))).toEqual(lines);
  });

  it('given a line without an end, when it is too long, then it is refused before the file is read to its end', async () => {
    let read = 0;
    async function* endless(): AsyncGenerator<Buffer> {
      for (; read < 1_000; read += 1)
        yield Buffer.from(`a\n${'x'.repeat(600)}`.repeat(read === 0 ? 1 : 0) || 'x'.repeat(600));
    }
    await expect(all(linesOf(endless()))).rejects.toThrow('line 2 of the statement: it is longer than 1000 bytes');
    expect(read).toBeLessThan(3);
  });

  it('given a source of lines, when taken in batches, then no more than one batch is read ahead', async () => {
    let read = 0;
    async function* numbers(): AsyncGenerator<number> {
      for (; read < 10; read += 1) yield read;
    }
    const sizes: [size: number, read: number][] = [];
    for await (const batch of inBatches(numbers(), 4)) sizes.push([batch.length, read]);
    expect(sizes).toEqual([
      [4, 3],
      [4, 7],
      [2, 10],
    ]);
  });
});
