import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { eventually, startStack, type StackProcess, type StackUnderTest } from '@settle/testing';
import pg from 'pg';
import { bundledDatabaseUrl, readSecret } from '../bundled-database.fixture.js';
import { EventStoreUnderFaults } from './event-store.fixture.js';
import { EventTopic } from './event-topic.fixture.js';
import { makeFundedWallets } from '../funded-wallets.fixture.js';
import type { Wallet } from '../paced-load.fixture.js';

const LEDGER = fileURLToPath(new URL('../../../payments-service/dist/operators/ledger-command.js', import.meta.url));
const PROJECTION_LEASE = 'ledger';
/** The worker finishes interrupted payments after 2 s. */
const FINISH_WAIT_MS = 20_000;
const READY_WAIT_MS = 30_000;
const LOOK_EVERY_MS = 50;
const PROGRAM_OUTPUT_BYTES = 64 * 1_048_576;

const run = promisify(execFile);

/** The distributed shape with some hundred funded wallets, and with methods to inspect it and to cause faults. */
export class StackUnderFaults {
  private constructor(
    readonly stack: StackUnderTest,
    readonly topic: EventTopic,
    readonly wallets: readonly Wallet[],
    /** Null where events are stored in PostgreSQL. */
    readonly eventStore: EventStoreUnderFaults | null,
    readonly dataDir: string,
  ) {}

  /** @param settings in addition to those of every stack under test */
  static async start(
    counts: Readonly<Record<'gateways' | 'payments', number>>,
    walletCount: number,
    settings: Readonly<Record<string, string>> = {},
  ): Promise<StackUnderFaults> {
    const dataDir = await mkdtemp(join(tmpdir(), 'settle-faults-'));
    const eventStore = await EventStoreUnderFaults.start();
    const stack = await startStack({ dataDir, port: null, counts, env: { ...settings, ...eventStore?.settings } });
    const wallets = await makeFundedWallets(dataDir, stack.url, walletCount);
    const topic = new EventTopic((await stack.status()).kafka.brokers);
    await topic.start();
    return new StackUnderFaults(stack, topic, wallets, eventStore, dataDir);
  }

  async close(): Promise<void> {
    await this.topic.stop();
    await this.stack.stop();
    await this.eventStore?.stop();
    await rm(this.dataDir, { recursive: true, force: true });
  }

  /** Returns the instances of one service, such as `payments`. */
  async instancesOf(service: string): Promise<readonly StackProcess[]> {
    return (await this.stack.status()).instances.filter(({ name }) => name.startsWith(`${service}-`));
  }

  /** Returns the main process of PostgreSQL. */
  async postgresPid(): Promise<number> {
    const { pid } = (await this.stack.status()).postgres;
    if (pid === null) throw new Error('PostgreSQL does not run');
    return pid;
  }

  /** Reads the pid file that is written at the start of Kafka, which is faster than a request to the stack. */
  async kafkaPid(): Promise<number> {
    return Number(await readFile(join(this.dataDir, 'kafka', 'broker.pid'), 'utf8'));
  }

  /** Returns the database URL of the role of payments-service. */
  paymentsDatabaseUrl(): Promise<string> {
    return bundledDatabaseUrl(this.dataDir, 'settle_payments', 'settle_payments');
  }

  /** Ends the projector's lease, so that any instance can acquire it next. */
  async endProjectorLease(): Promise<void> {
    await this.#query(
      `update leases set holder = '', expires_at = clock_timestamp() where name = '${PROJECTION_LEASE}'`,
    );
    await eventually(async () => {
      const [lease] = await this.#query<{ holder: string }>(
        `select holder from leases where name = '${PROJECTION_LEASE}'`,
      );
      if (lease?.holder === '') throw new Error('No instance has acquired the lease of the projector');
    });
  }

  /** Resolves once no payment is in progress. */
  async waitUntilIdle(): Promise<void> {
    await eventually(
      async () => {
        const [row] = await this.#query<{ open: number }>('select count(*)::int as open from open_work');
        if (row?.open !== 0) throw new Error(`${row?.open} payments are still in progress`);
      },
      { timeoutMs: FINISH_WAIT_MS },
    );
  }

  /** Returns the event ids of all payments in the order of the event store. */
  async streams(): Promise<ReadonlyMap<string, readonly string[]>> {
    const rows = await (this.eventStore?.paymentEvents() ??
      this.#query<{ id: string; stream: string }>(
        `select id, stream from events where stream like 'payment-%' order by position`,
      ));
    const streams = new Map<string, string[]>();
    for (const { id, stream } of rows) {
      const paymentId = stream.slice('payment-'.length);
      const known = streams.get(paymentId);
      if (known === undefined) streams.set(paymentId, [id]);
      else known.push(id);
    }
    return streams;
  }

  /** Verifies the ledger, including read models and topic. Rejects with the output when they differ. */
  async verifyLedger(): Promise<void> {
    const { brokers } = (await this.stack.status()).kafka;
    const place = {
      DATABASE_URL: await bundledDatabaseUrl(this.dataDir, 'settle_payments'),
      KAFKA_BROKERS: brokers.join(),
      DATA_KEY: await readSecret(this.dataDir, 'data_key'),
    };
    const env = { ...process.env, ...place, ...this.eventStore?.settings };
    await run(process.execPath, [LEDGER, 'verify'], { env, maxBuffer: PROGRAM_OUTPUT_BYTES }).catch(
      ({ stdout, stderr }: { stdout: string; stderr: string }) => {
        throw new Error(`The verification found: ${stdout}${stderr}`);
      },
    );
  }

  async #query<Row extends object>(text: string): Promise<Row[]> {
    const client = new pg.Client(await bundledDatabaseUrl(this.dataDir, 'settle_payments'));
    await client.connect();
    try {
      return (await client.query<Row>(text)).rows;
    } finally {
      await client.end();
    }
  }
}

/** Resolves once an instance reports that it is ready. */
export async function waitUntilReady({ name, healthPort }: Pick<StackProcess, 'name' | 'healthPort'>): Promise<void> {
  const deadline = performance.now() + READY_WAIT_MS;
  while (!(await isReady(healthPort))) {
    if (performance.now() > deadline) throw new Error(`${name} was not ready in ${READY_WAIT_MS} ms`);
    await new Promise((inspect) => setTimeout(inspect, LOOK_EVERY_MS));
  }
}

async function isReady(healthPort: number): Promise<boolean> {
  const probe = fetch(`http://127.0.0.1:${healthPort}/health/ready`, { signal: AbortSignal.timeout(1_000) });
  return probe.then(
    async (response) => {
      await response.arrayBuffer();
      return response.ok;
    },
    () => false,
  );
}
