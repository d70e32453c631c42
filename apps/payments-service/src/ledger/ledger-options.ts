import type { ChangeTracker, Semaphore } from '@settle/concurrency';
import type { Settings } from '@settle/config';
import type { Environment } from '@settle/contracts';
import type { EventStore } from '@settle/event-store';
import type { MessageBus } from '@settle/messaging';
import type { Logger } from '@settle/observability';
import type { PaymentTexts } from '../data-keys/payment-texts.js';
import type { ReadableProvider } from '../funding/change-attempts.js';
import type { SourceProvider } from '../funding/source-changes.js';
import type { FundingGate } from '../provider/funding-gate.js';
import type { Clock } from '../storage/clock.js';
import type { LedgerPools } from '../storage/open-pools.js';
import type { FundingSources } from '../transfer/funding.js';
import type { PaymentFundingParts } from '../transfer/payment-funding.js';
import type { FundingProvider } from '../transfer/provider-calls.js';
import type { FundingAdmission } from '../transfer/refuse-funding.js';
import type { UserReplica } from '../user-replica/user-replica.js';

/** The provider of funding sources, and how long payments wait for it. */
export interface ProviderOptions extends Pick<PaymentFundingParts, 'waitMs' | 'pendingUs'> {
  readonly provider: FundingProvider & ReadableProvider & SourceProvider;
  readonly gate: FundingAdmission & Pick<FundingGate, 'whenChecked'>;
}

export interface LedgerOptions extends LedgerPools {
  readonly environment: Environment;
  readonly bus: MessageBus;
  /** Shared by all environments. */
  readonly waitSlots: Semaphore;
  readonly settings: Settings;
  /** Streams of this environment; the pools see its tables alone. */
  readonly store: EventStore;
  /** Notes and addresses, of both environments. */
  readonly texts: PaymentTexts;
  readonly users: UserReplica;
  /** Called where no provider is set. */
  readonly funding: FundingSources;
  /** Null: no provider is set. */
  readonly provider: ProviderOptions | null;
  readonly logger: Logger;
  readonly clock: Clock;
  /** No other process works on this database. */
  readonly isOnlyInstance: boolean;
  /** Records every change of what responses show, so that they are kept. Null: other instances make changes, too. */
  readonly changes: ChangeTracker | null;
}
