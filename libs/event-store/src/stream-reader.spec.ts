import { StreamReader, type EventRow, type QueryRows } from './stream-reader.js';

const LIMITS = { streamsPerRead: 3, shortStreamEvents: 2 };
const NEWEST = { direction: 'backwards', limit: 1 } as const;

const rowOf = (stream: string, revision: number): EventRow => [
  String(revision + 1),
  stream,
  revision,
  'Counted',
  'id',
  '{}',
];

describe('StreamReader', () => {
  const statements: { readonly name: string; readonly streams: unknown }[] = [];

  /** Answers with one event of revision 7 for each stream, and counts the statements. */
  const queryRows: QueryRows = ({ name }, [streams, firsts]) => {
    statements.push({ name, streams });
    if (!Array.isArray(streams)) return Promise.resolve([rowOf(String(streams), 7)]);
    const rows = streams.map((stream: string, index): EventRow => {
      const [position, ...row] = rowOf(stream, 7);
      return Array.isArray(firsts)
        ? ([position, ...row, String(index + 1)] as unknown as EventRow)
        : [position, ...row];
    });
    return Promise.resolve(rows);
  };

  beforeEach(() => statements.splice(0));

  it('given the newest events of several streams, when they are read in one turn, then they share statements', async () => {
    const reader = new StreamReader(queryRows, LIMITS);
    const streams = ['wallet-1', 'wallet-2', 'wallet-1', 'wallet-3'];
    const read = await Promise.all(streams.map((stream) => reader.read(stream, NEWEST)));
    expect(read.map(([event]) => event?.stream)).toEqual(streams);
    const name = 'event-store-read-newest-of-streams';
    expect(statements).toEqual([
      { name, streams: ['wallet-1', 'wallet-2'] },
      { name, streams: ['wallet-3'] },
    ]);
  });

  it('given short reads from different revisions, when they are read in one turn, then each gets its own events', async () => {
    const reader = new StreamReader(queryRows, LIMITS);
    const range = (fromRevision: number) => ({ direction: 'forwards', fromRevision, limit: 2 }) as const;
    const read = await Promise.all([reader.read('wallet-1', range(3)), reader.read('wallet-2', range(5))]);
    expect(read.map((events) => events.map(({ stream }) => stream))).toEqual([['wallet-1'], ['wallet-2']]);
    expect(statements).toEqual([{ name: 'event-store-read-short-streams', streams: ['wallet-1', 'wallet-2'] }]);
  });

  it('given a long read, when it is requested beside short ones, then they do not wait for it in one statement', async () => {
    const reader = new StreamReader(queryRows, LIMITS);
    await Promise.all([
      reader.read('wallet-1', { direction: 'forwards', limit: 3 }),
      reader.read('wallet-2', { direction: 'backwards', limit: 2 }),
      reader.read('wallet-3', NEWEST),
    ]);
    expect(statements.map(({ name }) => name).sort()).toEqual([
      'event-store-read-backwards',
      'event-store-read-forwards',
      'event-store-read-newest-of-streams',
    ]);
  });
});

describe('StreamReader, backwards from a revision', () => {
  const STORED = 5;
  let statements: string[];

  /** Every stream has the events 0 to 4. Only the statements of these reads are known. */
  const queryRows: QueryRows = ({ name }, [asked, from, limit]) => {
    statements.push(name);
    const rowsFrom = (stream: string, first: number, most: number) =>
      Array.from({ length: STORED }, (_, revision) => rowOf(stream, revision)).slice(first, first + most);
    if (Array.isArray(asked) && Array.isArray(from)) {
      const rows = asked.map((stream: string, index) =>
        rowsFrom(stream, Number(from[index]), Number(limit)).map(
          (row) => [...row, String(index + 1)] as unknown as EventRow,
        ),
      );
      return Promise.resolve(rows.flat());
    }
    const newestFirst = rowsFrom(String(asked), 0, Number(from) + 1).reverse();
    return Promise.resolve(newestFirst.slice(0, Number(limit)));
  };

  beforeEach(() => (statements = []));

  const read = (reader: StreamReader, fromRevision: number, limit: number, stream = 'payment-1') =>
    reader.read(stream, { direction: 'backwards', fromRevision, limit });

  it('given short ranges of several streams, when they are read in one turn, then they share a statement', async () => {
    const reader = new StreamReader(queryRows, LIMITS);
    const events = await Promise.all([read(reader, 1, 2), read(reader, 3, 2, 'payment-2'), read(reader, 0, 1)]);
    expect(events.map((each) => each.map(({ revision }) => revision))).toEqual([[1, 0], [3, 2], [0]]);
    expect(statements).toEqual(['event-store-read-short-streams']);
  });

  it('given any range, when it is read, then it has the newest events up to its revision, newest first', async () => {
    const reader = new StreamReader(queryRows, LIMITS);
    for (const limit of [1, 2, 3, 9]) {
      for (let from = 0; from < STORED + 3; from += 1) {
        const expected = [4, 3, 2, 1, 0].filter((revision) => revision <= from).slice(0, limit);
        expect((await read(reader, from, limit)).map(({ revision }) => revision)).toEqual(expected);
      }
    }
  });
});
