import { NO_STREAM, type ReadableLog } from '@settle/event-store';
import { LRUCache } from 'lru-cache';
import type { ClientBase } from 'pg';
import type { WalletLine } from '../read-models/ledger/batch-fold.js';
import { walletStream } from '../storage/streams.js';
import type { Books, CountedWallet } from './books.js';

const EVENTS_PER_READ = 100;

const LINES_BEFORE = {
  name: 'lines-before',
  text: `select wallet_id, revision, balance_cents from ledger_entries
    join unnest($1::bigint[], $2::int[]) as asked (wallet_id, revision) using (wallet_id, revision)`,
};

interface LineRow {
  readonly wallet_id: string;
  readonly revision: number;
  readonly balance_cents: string;
}

/**
 * The newest counted line of every wallet. Keeps a bounded number of wallets in memory. The line of another wallet is read
 * from the journal, which was compared with the events up to it.
 */
export class WalletLineCache {
  readonly #lines: LRUCache<string, CountedWallet>;

  /** @param most wallets in memory */
  constructor(
    private readonly client: Pick<ClientBase, 'query'>,
    private readonly store: Pick<ReadableLog, 'readStream'>,
    most: number,
  ) {
    this.#lines = new LRUCache({ max: most });
  }

  /** Adds the lines of a batch to the books. Returns descriptions of those that do not follow from the lines before them. */
  async addLines(lines: readonly WalletLine[], books: Books): Promise<string[]> {
    const newest = await this.#before(lines);
    return lines.flatMap((line) => {
      const { walletId, revision, event } = line;
      const offence = books.addWalletLine(line, newest.get(walletId));
      const counted = { revision, balanceCents: event.data.balanceCents };
      newest.set(walletId, counted);
      this.#lines.set(walletId, counted);
      return offence ?? [];
    });
  }

  /** Returns the lines before the first line of each wallet in a batch; a wallet that begins in the batch has none. */
  async #before(lines: readonly WalletLine[]): Promise<Map<string, CountedWallet>> {
    const found = new Map<string, CountedWallet>();
    const others = new Map<string, number>();
    const seen = new Set<string>();
    for (const { walletId, revision } of lines) {
      if (seen.has(walletId)) continue;
      seen.add(walletId);
      const cached = this.#lines.get(walletId);
      if (cached !== undefined) found.set(walletId, cached);
      else if (revision > 0) others.set(walletId, revision - 1);
    }
    if (others.size === 0) return found;
    const values = [[...others.keys()], [...others.values()]];
    const { rows } = await this.client.query<LineRow>({ ...LINES_BEFORE, values });
    for (const { wallet_id: walletId, revision, balance_cents } of rows) {
      found.set(walletId, { revision, balanceCents: Number(balance_cents) });
    }
    return found;
  }

  /**
   * Returns the newest revision of a wallet that was counted; `NO_STREAM` if none was.
   * @param position log position up to which events were counted
   */
  async revisionAt(walletId: string, position: number): Promise<number> {
    const cached = this.#lines.get(walletId);
    if (cached !== undefined) return cached.revision;
    const page = { direction: 'backwards', limit: EVENTS_PER_READ } as const;
    for (let fromRevision: number | null = null; ;) {
      const range = fromRevision === null ? page : { ...page, fromRevision };
      const events = await this.store.readStream(walletStream(walletId), range);
      const counted = events.find((event) => event.position <= position);
      if (counted !== undefined) return counted.revision;
      const oldest = events.at(-1);
      if (oldest === undefined || oldest.revision === 0) return NO_STREAM;
      fromRevision = oldest.revision - 1;
    }
  }
}
