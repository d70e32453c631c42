import { ChangeTracker, Semaphore } from '@settle/concurrency';
import { LIMITS } from '@settle/config';
import type { Environment } from '@settle/contracts';
import type { EventStore } from '@settle/event-store';
import { storeOf } from '../storage/environments.js';
import type { LedgerPools } from '../storage/open-pools.js';
import { createLedger, type Ledger } from './ledger.js';
import type { LedgerOptions } from './ledger-options.js';
import { CachedUserReplica } from '../user-replica/cached-user-replica.js';
import { StoredUserReplica } from '../user-replica/stored-user-replica.js';
import { SandboxUserReplica } from '../user-replica/sandbox-user-replica.js';
import { noSources, type FundingSources } from '../transfer/funding.js';

export interface LedgersOptions extends Omit<
  LedgerOptions,
  'environment' | 'waitSlots' | 'users' | 'changes' | keyof LedgerPools
> {
  /** The whole event log. */
  readonly store: EventStore;
  /** By environment: they see its tables alone. */
  readonly pools: Readonly<Record<Environment, LedgerPools>>;
  /** Funding sources of the live environment. */
  readonly funding: FundingSources;
}

/** The live ledger and the sandbox's: the same parts twice, on separate streams and tables. They share the user replica. */
export class Ledgers implements Readonly<Record<Environment, Ledger>> {
  readonly users: StoredUserReplica;
  readonly live: Ledger;
  readonly sandbox: Ledger;

  constructor({ pools, ...options }: LedgersOptions) {
    const { isOnlyInstance, settings, store, logger } = options;
    const changes = isOnlyInstance ? new ChangeTracker(LIMITS.payments.changesKept) : null;
    const { pool } = pools.live;
    this.users = changes === null ? new StoredUserReplica(pool) : new CachedUserReplica(pool, changes);
    const waitSlots = new Semaphore({ slots: LIMITS.payments.waitingForOwners, waiting: 0 });
    const ledgerOf = (environment: Environment, own: Partial<LedgerOptions>) => {
      const storage = { ...pools[environment], store: storeOf(environment, store) };
      return createLedger({ ...options, ...storage, environment, waitSlots, users: this.users, changes: null, ...own });
    };
    this.live = ledgerOf('live', { changes });
    this.sandbox = ledgerOf('sandbox', {
      users: new SandboxUserReplica(this.users, settings.publicUrl),
      funding: noSources,
      provider: null,
      logger: logger.child({ environment: 'sandbox' }),
    });
  }

  async start(): Promise<void> {
    await Promise.all([this.live.start(), this.sandbox.start()]);
  }

  async stop(): Promise<void> {
    await Promise.all([this.live.stop(), this.sandbox.stop()]);
  }
}
