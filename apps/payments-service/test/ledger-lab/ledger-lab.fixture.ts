import { randomUUID } from 'node:crypto';
import { readSettings } from '@settle/config';
import type {
  CreatedPayment,
  Environment,
  PaymentView,
  RequestAction,
  UserRecord,
  UsersStateRecord,
} from '@settle/contracts';
import { PostgresEventStore, type EventStore } from '@settle/event-store';
import { InMemoryBus, type MessageBus } from '@settle/messaging';
import { createLogger } from '@settle/observability';
import { createPool, migrateSchema } from '@settle/postgres';
import { SPEC_DATA_KEY, eventually, freshDatabase, type FreshDatabase } from '@settle/testing';
import type { Pool } from 'pg';
import type { DepositCommand } from '../../src/commands/deposits.js';
import { createPaymentTexts } from '../../src/data-keys/create-payment-texts.js';
import { DataKeys } from '../../src/data-keys/data-keys.js';
import { PaymentTexts } from '../../src/data-keys/payment-texts.js';
import { WrappingKeys } from '../../src/data-keys/wrapping-keys.js';
import { Clock } from '../../src/storage/clock.js';
import { FundingMessages } from '../../src/messages/funding.controller.js';
import { PaymentsCommands } from '../../src/messages/payments-commands.controller.js';
import { PaymentsQueries } from '../../src/messages/payments-queries.controller.js';
import type { Ledger } from '../../src/ledger/ledger.js';
import type { ProviderOptions } from '../../src/ledger/ledger-options.js';
import { Ledgers } from '../../src/ledger/ledgers.js';
import { openPools, type LedgerPools } from '../../src/storage/open-pools.js';
import { PAYMENTS_SCHEMA } from '../../src/payments-schema.js';
import { readCheckpoint } from '../../src/projection/checkpoints.js';
import { LEDGER_PROJECTION } from '../../src/read-models/ledger/ledger-projection.js';
import type { Projection } from '../../src/read-models/projection.js';
import { PROJECTIONS } from '../../src/read-models/registry.js';
import type { FundingSources } from '../../src/transfer/funding.js';
import { expectInOrder, type Books } from './audit.fixture.js';
import { actCommand, createCommand } from './people.fixture.js';
import { testCards } from './test-cards.fixture.js';

const LONGEST_CATCH_UP_MS = 30_000;
/** Silent: specs cause failures on purpose. */
export const LAB_LOGGER = createLogger({ level: 'fatal', service: 'lab' });

export interface LabOptions {
  readonly env?: Record<string, string>;
  readonly sources?: FundingSources;
  /** Absent: those of the lab. */
  readonly texts?: PaymentTexts;
  /** Absent: no provider is set. */
  readonly provider?: ProviderOptions | null;
  /** Where the events live; absent: in the lab's database. */
  readonly openStore?: () => Promise<EventStore>;
  /** Stands between the ledger and the event log: faults are planted here. */
  readonly wrapStore?: (store: EventStore) => EventStore;
  /** Stands between the projections and the database. */
  readonly wrapProjections?: (pool: Pool) => Pool;
  readonly nowMs?: () => number;
  /** The connection to other instances; without it the instance owns every wallet and gets no requests. */
  readonly bus?: MessageBus;
  /** Whether the sandbox's read models are written too. */
  readonly hasSandbox?: boolean;
  /** Keeps responses, as the embedded shape does: no other instance may write. */
  readonly isOnlyInstance?: boolean;
}

/** One instance of the payments service without its transport and its timers, on a real database. */
export class LabInstance {
  readonly commands: PaymentsCommands;
  readonly queries: PaymentsQueries;
  readonly funding: FundingMessages;

  constructor(
    readonly ledgers: Ledgers,
    readonly store: EventStore,
    readonly pools: Readonly<Record<Environment, LedgerPools>>,
    readonly stop: () => Promise<void>,
  ) {
    this.commands = new PaymentsCommands(ledgers);
    this.queries = new PaymentsQueries(ledgers);
    this.funding = new FundingMessages(ledgers);
  }

  /** The real one. */
  get ledger(): Ledger {
    return this.ledgers.live;
  }

  create(...command: Parameters<typeof createCommand>): Promise<CreatedPayment> {
    return this.commands.create(createCommand(...command));
  }

  act(actor: UserRecord, action: RequestAction, paymentId: string): Promise<PaymentView> {
    return this.commands.act(actCommand(actor, action, paymentId));
  }

  view(viewer: UserRecord, paymentId: string): Promise<PaymentView> {
    return this.queries.get({ paymentId, viewerId: viewer.card.id, environment: 'live' });
  }

  async balance({ card }: UserRecord): Promise<number> {
    return (await this.queries.balance({ userId: card.id, environment: 'live' })).balanceCents;
  }

  async fund({ card }: UserRecord, amountCents: number): Promise<void> {
    await this.addFunds({ commandId: randomUUID(), userId: card.id, amountCents });
  }

  /** Deposits money as the demo data does, once per command. */
  async addFunds(command: DepositCommand): Promise<{ readonly balanceCents: number }> {
    const { deposits, projectionWaiter, clock } = this.ledger;
    await projectionWaiter.awaitProjection(await deposits.add(command, 'test-bank', clock.nowUs()));
    return this.queries.balance({ userId: command.userId, environment: 'live' });
  }
}

/** A database with as many instances on it as a spec wants. */
export class LedgerLab {
  readonly #instances = new Set<LabInstance>();

  private constructor(
    private readonly database: FreshDatabase,
    /** As the role that owns the tables; for migrations and rebuilds. */
    readonly migrationsUrl: string,
    /** As the role that owns the tables: a spec may do what no instance may. */
    readonly pool: Pool,
    /** Notes and addresses of all instances. */
    readonly texts: PaymentTexts,
  ) {}

  /** As the role that the service runs as; for processes that work on the same database. */
  get url(): string {
    return this.database.url;
  }

  /**
   * @param hasOneRole as releases had it in which the service's role owned the tables, until `separateRoles`
   * @param isEncrypted whether notes and addresses are encrypted
   */
  static async open({ hasOneRole = false, isEncrypted = false } = {}): Promise<LedgerLab> {
    const database = await freshDatabase();
    const migrationsUrl = hasOneRole ? database.url : await database.separateMigrations();
    await migrateSchema(PAYMENTS_SCHEMA, migrationsUrl);
    const pool = createPool(migrationsUrl, { max: 4, name: 'lab' });
    const keys = isEncrypted ? new DataKeys(pool, new WrappingKeys(SPEC_DATA_KEY)) : null;
    return new LedgerLab(database, migrationsUrl, pool, new PaymentTexts(keys, pool));
  }

  /** Moves the tables to a role of their own, as an upgrade does; gives its URL. */
  async separateRoles(): Promise<string> {
    const migrationsUrl = await this.database.separateMigrations();
    await migrateSchema(PAYMENTS_SCHEMA, migrationsUrl);
    return migrationsUrl;
  }

  async instance({
    env = {},
    sources = testCards,
    texts = this.texts,
    provider = null,
    openStore,
    wrapStore,
    wrapProjections = (pool) => pool,
    nowMs,
    bus,
    hasSandbox = false,
    isOnlyInstance = false,
  }: LabOptions = {}): Promise<LabInstance> {
    const { url } = this.database;
    const eventLog = await (openStore?.() ?? PostgresEventStore.open({ url, isShared: true }));
    const store = wrapStore === undefined ? eventLog : wrapStore(eventLog);
    const { live, sandbox } = openPools(url, PROJECTIONS.length);
    const pools = { sandbox, live: { ...live, projectionPool: wrapProjections(live.projectionPool) } };
    // Specs about the limits of users switch them on.
    const settings = readSettings({ NODE_ENV: 'test', RATE_LIMITS: 'off', ...env });
    const logger = LAB_LOGGER;
    const ledgers = new Ledgers({
      bus: bus ?? new InMemoryBus({ logger }),
      settings,
      store,
      pools,
      texts,
      funding: sources,
      provider,
      logger,
      clock: new Clock(nowMs),
      isOnlyInstance,
    });
    await ledgers.live.projector.start();
    if (hasSandbox) await ledgers.sandbox.projector.start();
    const instance = new LabInstance(ledgers, store, pools, async () => {
      if (!this.#instances.delete(instance)) return;
      await ledgers.stop();
      await store.close();
      await Promise.all([live, sandbox].flatMap((each) => [each.pool.end(), each.projectionPool.end()]));
    });
    this.#instances.add(instance);
    return instance;
  }

  /** Returns the notes and addresses as another process decrypts them, which has kept no key. */
  newTexts(): Promise<PaymentTexts> {
    return createPaymentTexts({ dataKey: SPEC_DATA_KEY, nodeEnv: 'test' }, this.pool);
  }

  /** Tells every instance of people and of what they are to each other. */
  async know(...records: readonly UsersStateRecord[]): Promise<void> {
    for (const { ledgers } of this.#instances) await ledgers.users.save(records);
  }

  /** Resolves when the read models of the ledger show everything that is stored. */
  async caughtUp(projections: readonly Projection[] = [LEDGER_PROJECTION]): Promise<void> {
    for (const { name, streamPrefixes } of projections) {
      const { rows } = await this.pool.query<{ position: string }>(
        'select coalesce(max(position), 0) as position from events where stream ^@ any ($1)',
        [streamPrefixes],
      );
      const isShown = async () => {
        expect(await readCheckpoint(this.pool, name)).toBeGreaterThanOrEqual(Number(rows[0]?.position));
      };
      await eventually(isShown, { timeoutMs: LONGEST_CATCH_UP_MS });
    }
  }

  /** The same for all read models, also those for which no response waits. */
  allCaughtUp(): Promise<void> {
    return this.caughtUp(PROJECTIONS);
  }

  /** Reads the whole ledger over, once the read models show it. */
  async expectInOrder(): Promise<Books> {
    await this.allCaughtUp();
    return expectInOrder(this.pool);
  }

  /** Before a spec goes on with others: each instance holds connections. */
  async stopInstances(): Promise<void> {
    for (const instance of this.#instances) await instance.stop();
  }

  async close(): Promise<void> {
    await this.stopInstances();
    await this.pool.end();
    await this.database.drop();
  }
}
