import type { KeepSource, SourceView } from '@settle/contracts';
import type { Clock } from '../storage/clock.js';
import { orUnavailable } from '../storage/database-unavailable.js';
import { foreignCard, providerSilent, refusedNow, unknownSource } from './funding-errors.js';
import type { SourceChanges, SourceProvider } from './source-changes.js';
import { sourceViewOf, type StoredSource, type StoredSources } from './stored-sources.js';

/** Keeps sources that users have begun. */
export class KeepSourceHandler {
  constructor(
    private readonly provider: SourceProvider,
    private readonly sources: StoredSources,
    private readonly changes: SourceChanges,
    private readonly clock: Clock,
  ) {}

  /** Errors: those of the contract `keepSource`. */
  async handle({ userId, sourceKey, isForPayouts }: KeepSource): Promise<SourceView> {
    await this.#ownSource(sourceKey, userId);
    const found = await this.provider.readSource(sourceKey);
    if (found === 'missing') throw unknownSource();
    if (found === 'unknown') throw providerSilent();
    if (!(await orUnavailable(this.changes.save(found, userId)))) throw foreignCard();
    const source = await this.#ownSource(sourceKey, userId);
    refuseUnusable(source, isForPayouts);
    const atUs = this.clock.nowUs();
    // While it is verified it is not known whether it gets payouts: the user keeps it again then.
    const isReady = source.state === 'active';
    await orUnavailable(this.sources.keep(source, { isForPayouts: isForPayouts && isReady, atUs }));
    return sourceViewOf(await this.#ownSource(sourceKey, userId));
  }

  async #ownSource(sourceKey: string, userId: string): Promise<StoredSource> {
    const source = await orUnavailable(this.sources.find(sourceKey));
    if (source?.userId !== userId) throw unknownSource();
    return source;
  }
}

function refuseUnusable({ state, canCharge, canPayout, isOwnerMatch }: StoredSource, isForPayouts: boolean): void {
  if (state === 'ended') throw refusedNow('This card or bank account was removed. Add it again.');
  if (state === 'verifying') return;
  if (!isForPayouts) {
    if (!canCharge && !canPayout) throw refusedNow('This card or bank account cannot be used. Add a different one.');
    return;
  }
  if (!canPayout) throw refusedNow('Money cannot be paid out to this card or bank account. Add a different one.');
  if (!isOwnerMatch) {
    throw refusedNow('Money is paid out only to a card or bank account in your own name. Add a different one.');
  }
}
