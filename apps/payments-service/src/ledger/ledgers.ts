import type { Settings } from '@settle/config';
import type { Environment } from '@settle/contracts';
import type { EventStore } from '@settle/event-store';
import type { MessageBus } from '@settle/messaging';
import type { Logger } from '@settle/observability';
import type { Clock } from '../storage/clock.js';
import { storeOf } from '../storage/environments.js';
import type { LedgerPools } from '../storage/open-pools.js';
import { createLedger, startLedger, stopLedger, type Ledger } from './ledger.js';
import type { UserReplica } from '../user-replica/user-replica.js';
import { CachedUserReplica } from '../user-replica/cached-user-replica.js';
import { StoredUserReplica } from '../user-replica/stored-user-replica.js';
import { SandboxUserReplica } from '../user-replica/sandbox-user-replica.js';
import { noSources, type FundingSources } from '../transfer/funding.js';
import { WaitSlots } from '../transfer/wallet-ownership.js';

export interface LedgersOptions {
  readonly bus: MessageBus;
  readonly settings: Settings;
  /** The whole event log. */
  readonly store: EventStore;
  /** By environment: they see its tables alone. */
  readonly pools: Readonly<Record<Environment, LedgerPools>>;
  /** Funding sources of the live environment. */
  readonly funding: FundingSources;
  readonly logger: Logger;
  readonly clock: Clock;
  /** No other process works on this database. */
  readonly isOnlyInstance: boolean;
}

/** The live ledger and the sandbox's: the same parts twice, on separate streams and tables. They share the user replica. */
export class Ledgers implements Readonly<Record<Environment, Ledger>> {
  readonly users: UserReplica;
  readonly live: Ledger;
  readonly sandbox: Ledger;

  constructor({ store, pools, funding, logger, ...rest }: LedgersOptions) {
    this.users = rest.isOnlyInstance ? new CachedUserReplica(pools.live.pool) : new StoredUserReplica(pools.live.pool);
    const waitSlots = new WaitSlots();
    this.live = createLedger({
      ...rest,
      waitSlots,
      ...pools.live,
      environment: 'live',
      store: storeOf('live', store),
      users: this.users,
      funding,
      logger,
    });
    this.sandbox = createLedger({
      ...rest,
      waitSlots,
      ...pools.sandbox,
      environment: 'sandbox',
      store: storeOf('sandbox', store),
      users: new SandboxUserReplica(this.users, rest.settings.publicUrl),
      funding: noSources,
      logger: logger.child({ environment: 'sandbox' }),
    });
  }

  async start(): Promise<void> {
    await Promise.all([startLedger(this.live), startLedger(this.sandbox)]);
  }

  async stop(): Promise<void> {
    await Promise.all([stopLedger(this.live), stopLedger(this.sandbox)]);
  }
}
