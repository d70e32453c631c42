import { LIMITS } from '@settle/config';
import type { BeginSource, BegunSource } from '@settle/contracts';
import type { Clock } from '../storage/clock.js';
import { orUnavailable } from '../storage/database-unavailable.js';
import { dayBeforeUs } from '../user-limits/user-activity.js';
import { providerSilent, refusedNow, unknownSource } from './funding-errors.js';
import type { SourceChanges, SourceProvider } from './source-changes.js';
import type { StoredSources } from './stored-sources.js';

const { sourcesBegunPerDay } = LIMITS.payments;

/** Begins sources at the provider. */
export class BeginSourceHandler {
  constructor(
    private readonly provider: SourceProvider,
    private readonly sources: StoredSources,
    private readonly changes: SourceChanges,
    private readonly clock: Clock,
  ) {}

  /** Errors: those of the contract `beginSource`; `not_permitted` after too many; `resource_not_found` for another user's key. */
  async handle({ userId, sourceKey: key, ownerName, ...request }: BeginSource): Promise<BegunSource> {
    await orUnavailable(this.#store(key, userId));
    const { wantsCharges: wants_charges, wantsPayouts: wants_payouts, returnUrl: return_url } = request;
    const order = { key, user: userId, owner_name: ownerName, wants_charges, wants_payouts, return_url };
    const source = await this.provider.beginSource(order);
    if (typeof source === 'string') throw providerSilent();
    await orUnavailable(this.changes.save(source, userId));
    return { pageUrl: source.next_action?.url ?? null };
  }

  /** Stored first, so that a source whose answer is lost has its user. */
  async #store(key: string, userId: string): Promise<void> {
    const nowUs = this.clock.nowUs();
    if ((await this.sources.find(key)) === null) {
      const begun = await this.sources.countBegun(userId, dayBeforeUs(nowUs));
      if (begun >= sourcesBegunPerDay) {
        throw refusedNow(
          `You have begun to add ${begun} cards or bank accounts within 24 hours. Try it again tomorrow.`,
        );
      }
      await this.sources.begin(key, userId, nowUs);
    }
    if ((await this.sources.find(key))?.userId !== userId) throw unknownSource();
  }
}
