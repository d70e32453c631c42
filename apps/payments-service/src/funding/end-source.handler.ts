import type { EndSource } from '@settle/contracts';
import { orUnavailable } from '../storage/database-unavailable.js';
import type { UserReplica } from '../user-replica/user-replica.js';
import { providerSilent, unknownSource } from './funding-errors.js';
import type { SourceProvider } from './source-changes.js';
import type { StoredSources } from './stored-sources.js';

/** Ends sources at the provider. */
export class EndSourceHandler {
  constructor(
    private readonly provider: SourceProvider,
    private readonly sources: StoredSources,
    private readonly users: UserReplica,
  ) {}

  /** Errors: those of the contract `endSource`. */
  async handle({ userId, sourceKey }: EndSource): Promise<{ readonly sourceKey: string }> {
    const stored = await orUnavailable(this.sources.find(sourceKey));
    const isOwn = stored === null ? await this.#isEarlier(sourceKey, userId) : stored.userId === userId;
    if (!isOwn) throw unknownSource();
    // A source that the provider does not know cannot be used either.
    if ((await this.provider.endSource(sourceKey)) === 'unknown') throw providerSilent();
    await orUnavailable(this.sources.end(sourceKey));
    return { sourceKey };
  }

  /** Whether the source is the user's from before there was a provider. */
  async #isEarlier(sourceKey: string, userId: string): Promise<boolean> {
    return (await orUnavailable(this.users.findUser(userId)))?.fundingSourceId === sourceKey;
  }
}
