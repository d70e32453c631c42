import type { ProviderSource } from '@settle/provider-api';
import type { ProviderClient } from '../provider/provider-client.js';
import type { StoredSources } from './stored-sources.js';

/** The part of the provider that knows sources. Its calls never reject. */
export type SourceProvider = Pick<ProviderClient, 'beginSource' | 'readSource' | 'endSource'>;

/** Takes in what the provider says of sources. */
export class SourceChanges {
  constructor(
    private readonly provider: SourceProvider,
    private readonly sources: StoredSources,
  ) {}

  /**
   * Reads a source that the provider has changed and stores it. Returns false if the provider did not answer. A source that
   * no user has begun here is left alone. Errors: the database's.
   */
  async followChange(sourceKey: string): Promise<boolean> {
    const stored = await this.sources.find(sourceKey);
    if (stored === null) return true;
    const source = await this.provider.readSource(sourceKey);
    if (source === 'unknown') return false;
    if (source !== 'missing') await this.save(source, stored.userId);
    return true;
  }

  /**
   * Stores a source, and ends it at the provider if its card or account belongs to another user. Returns whether it is the
   * user's own. Errors: the database's.
   */
  async save(source: ProviderSource, userId: string): Promise<boolean> {
    const isOwn = await this.sources.save(source, userId);
    // Without an answer it stays unusable all the same: it is stored as ended.
    if (!isOwn && source.state !== 'ended') await this.provider.endSource(source.key);
    return isOwn;
  }
}
