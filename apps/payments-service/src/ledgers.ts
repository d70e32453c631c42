import type { Settings } from '@settle/config';
import type { Environment } from '@settle/contracts';
import type { EventStore } from '@settle/event-store';
import type { MessageBus } from '@settle/messaging';
import type { Logger } from '@settle/observability';
import type { Clock } from './clock.js';
import { storeIn } from './environments.js';
import { Ledger, type LedgerPools } from './ledger.js';
import type { KnownPeople } from './people/known-people.js';
import { PeopleMemory } from './people/people-memory.js';
import { PeopleTable } from './people/people-table.js';
import { SandboxPeople } from './people/sandbox-people.js';
import { noSources, type FundingSources } from './transfer/funding-sources.js';
import { WaitingPlaces } from './transfer/wallet-owners.js';

export interface LedgersParts {
  readonly bus: MessageBus;
  readonly settings: Settings;
  /** The whole event log. */
  readonly store: EventStore;
  /** Of each environment: they find its tables alone. */
  readonly pools: Readonly<Record<Environment, LedgerPools>>;
  /** Real people's funding sources. */
  readonly sources: FundingSources;
  readonly logger: Logger;
  readonly clock: Clock;
  /** No other process works on this database. */
  readonly isOnlyInstance: boolean;
}

/** The real ledger and the sandbox's: the same parts twice, on streams and tables of their own. They share the people. */
export class Ledgers implements Readonly<Record<Environment, Ledger>> {
  readonly people: KnownPeople;
  readonly live: Ledger;
  readonly sandbox: Ledger;

  constructor({ store, pools, sources, logger, ...rest }: LedgersParts) {
    this.people = rest.isOnlyInstance ? new PeopleMemory(pools.live.pool) : new PeopleTable(pools.live.pool);
    const places = new WaitingPlaces();
    this.live = new Ledger({
      ...rest,
      places,
      ...pools.live,
      environment: 'live',
      store: storeIn('live', store),
      people: this.people,
      sources,
      logger,
    });
    this.sandbox = new Ledger({
      ...rest,
      places,
      ...pools.sandbox,
      environment: 'sandbox',
      store: storeIn('sandbox', store),
      people: new SandboxPeople(this.people, rest.settings.publicUrl),
      sources: noSources,
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
