import { InMemoryEventStore, NO_STREAM } from '@settle/event-store';
import type { ClientBase } from 'pg';
import type { WalletLine } from '../read-models/ledger/batch-fold.js';
import { newWalletEvent } from '../storage/step-ids.js';
import { walletStream } from '../storage/streams.js';
import { Books } from './books.js';
import { WalletLineCache } from './wallet-line-cache.js';

type WalletAdded = WalletLine['event'] & { type: 'FundsAdded' };

/** The line of a cent that is added to a wallet. */
function lineOf(walletId: string, revision: number): WalletLine {
  const data = { paymentId: null, amountCents: 1, balanceCents: revision + 1, sourceId: 'source', atUs: 1 };
  const event = { type: 'FundsAdded', data } as unknown as WalletAdded;
  const entry = { debitAccount: `funding:${walletId}`, creditAccount: `wallet:${walletId}`, amountCents: 1 };
  return { walletId, revision, event, entry, isNotified: false };
}

describe('WalletLineCache', () => {
  const asked: unknown[] = [];
  /** A journal in which each line has the balance that it should. */
  const client = {
    query: ({ values }: { values: [string[], number[]] }) => {
      asked.push(values);
      const [wallets, revisions] = values;
      const rows = wallets.map((wallet_id, index) => {
        const revision = revisions[index] ?? 0;
        return { wallet_id, revision, balance_cents: String(revision + 1) };
      });
      return Promise.resolve({ rows });
    },
  } as unknown as Pick<ClientBase, 'query'>;

  beforeEach(() => asked.splice(0));

  it('given more wallets than are held, when a line of another one comes, then the line before it is read', async () => {
    const wallets = new WalletLineCache(client, new InMemoryEventStore(), 2);
    const books = new Books();
    expect(await wallets.addLines([lineOf('1', 0), lineOf('2', 0), lineOf('3', 0)], books)).toEqual([]);
    expect(await wallets.addLines([lineOf('3', 1), lineOf('1', 1), lineOf('1', 2)], books)).toEqual([]);
    expect(asked).toEqual([[['1'], [0]]]);
    expect(books.sums()).toMatchObject({ wallets: 3, walletCents: 6, fundingCents: 6 });
    expect(await wallets.addLines([lineOf('2', 5)], new Books())).toEqual([]);
    expect(await wallets.addLines([lineOf('1', 9)], books)).toEqual([expect.stringMatching(/^wallet 1, revision 9: /)]);
  });

  it('given a wallet that is not held, when its newest counted revision is needed, then its stream says it', async () => {
    const store = new InMemoryEventStore();
    const events = Array.from({ length: 150 }, (_, revision) => newWalletEvent('1', lineOf('1', revision).event));
    await store.append([{ stream: walletStream('1'), expectedRevision: NO_STREAM, events }]);
    const wallets = new WalletLineCache(client, store, 1);
    expect(await wallets.revisionAt('1', 150)).toBe(149);
    expect(await wallets.revisionAt('1', 7)).toBe(6);
    expect(await wallets.revisionAt('1', 0)).toBe(NO_STREAM);
  });
});
