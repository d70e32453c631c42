import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { eventually, startStack, type StackProcess, type StackUnderTest } from '@settle/testing';
import pg from 'pg';
import { call } from '../client.js';
import { EventTopic } from './event-topic.fixture.js';
import type { Wallet } from '../paced-load.fixture.js';

const MAKE_PEOPLE = fileURLToPath(new URL('../../../../tools/make-people.mjs', import.meta.url));
const LEDGER = fileURLToPath(new URL('../../../payments-service/dist/operators/ledger-command.js', import.meta.url));
const PROJECTION_LEASE = 'ledger';
const FUNDS = '999.99';
const FUNDED_AT_ONCE = 16;
const KNOWN_WAIT_MS = 20_000;
/** What a kill left unfinished is the worker's after 2 s. */
const FINISH_WAIT_MS = 20_000;
const READY_WAIT_MS = 30_000;
const LOOK_EVERY_MS = 50;
const PROGRAM_OUTPUT_BYTES = 64 * 1_048_576;

const run = promisify(execFile);

/** The distributed shape with some hundred funded wallets, and with what is needed to look into it and to hurt it. */
export class StackUnderFaults {
  private constructor(
    readonly stack: StackUnderTest,
    readonly topic: EventTopic,
    readonly wallets: readonly Wallet[],
    private readonly dataDir: string,
  ) {}

  /** @param settings beside those that every stack under test gets */
  static async start(
    counts: Readonly<Record<'gateways' | 'payments', number>>,
    walletCount: number,
    settings: Readonly<Record<string, string>> = {},
  ): Promise<StackUnderFaults> {
    const dataDir = await mkdtemp(join(tmpdir(), 'settle-faults-'));
    const stack = await startStack({ dataDir, port: null, counts, env: settings });
    const env = { ...process.env, ADMIN_URL: await databaseUrl(dataDir, 'postgres'), PUBLIC_URL: stack.url };
    const options = { env, maxBuffer: PROGRAM_OUTPUT_BYTES };
    const { stdout } = await run(process.execPath, [MAKE_PEOPLE, String(walletCount)], options);
    const { funderToken, people } = JSON.parse(stdout) as { funderToken: string; people: Wallet[] };
    await fund(stack.url, funderToken, people);
    const topic = new EventTopic((await stack.status()).kafka.brokers);
    await topic.start();
    return new StackUnderFaults(stack, topic, people, dataDir);
  }

  async close(): Promise<void> {
    await this.topic.stop();
    await this.stack.stop();
    await rm(this.dataDir, { recursive: true, force: true });
  }

  /** The instances of one service, such as `payments`. */
  async instancesOf(service: string): Promise<readonly StackProcess[]> {
    return (await this.stack.status()).instances.filter(({ name }) => name.startsWith(`${service}-`));
  }

  /** The main process of PostgreSQL. */
  async postgresPid(): Promise<number> {
    const { pid } = (await this.stack.status()).postgres;
    if (pid === null) throw new Error('PostgreSQL does not run');
    return pid;
  }

  /** From the note that is written when it starts: asking the stack takes longer. */
  async kafkaPid(): Promise<number> {
    return Number(await readFile(join(this.dataDir, 'kafka', 'broker.pid'), 'utf8'));
  }

  /** As the role of payments-service. */
  paymentsDatabaseUrl(): Promise<string> {
    return databaseUrl(this.dataDir, 'settle_payments', 'settle_payments');
  }

  /** Takes the projector's lease from the instance that holds it, so that any instance can have it next. */
  async endProjectorLease(): Promise<void> {
    await this.#query(
      `update leases set holder = '', expires_at = clock_timestamp() where name = '${PROJECTION_LEASE}'`,
    );
  }

  /** Resolves once no payment is under way. */
  async untilNothingIsUnderWay(): Promise<void> {
    await eventually(
      async () => {
        const [row] = await this.#query<{ open: number }>('select count(*)::int as open from open_work');
        if (row?.open !== 0) throw new Error(`${row?.open} payments are still under way`);
      },
      { timeoutMs: FINISH_WAIT_MS },
    );
  }

  /** The ids of all payments' events in order, as the event store has them. */
  async streams(): Promise<ReadonlyMap<string, readonly string[]>> {
    const rows = await this.#query<{ id: string; stream: string }>(
      `select id, stream from events where stream like 'payment-%' order by position`,
    );
    const streams = new Map<string, string[]>();
    for (const { id, stream } of rows) {
      const paymentId = stream.slice('payment-'.length);
      const known = streams.get(paymentId);
      if (known === undefined) streams.set(paymentId, [id]);
      else known.push(id);
    }
    return streams;
  }

  /** Recounts the ledger, read models and topic included. Rejects with what it says when something differs. */
  async verifyLedger(): Promise<void> {
    const { brokers } = (await this.stack.status()).kafka;
    const place = { DATABASE_URL: await databaseUrl(this.dataDir, 'settle_payments'), KAFKA_BROKERS: brokers.join() };
    const env = { ...process.env, ...place };
    await run(process.execPath, [LEDGER, 'verify'], { env, maxBuffer: PROGRAM_OUTPUT_BYTES }).catch(
      ({ stdout, stderr }: { stdout: string; stderr: string }) => {
        throw new Error(`The verification found: ${stdout}${stderr}`);
      },
    );
  }

  async #query<Row extends object>(text: string): Promise<Row[]> {
    const client = new pg.Client(await databaseUrl(this.dataDir, 'settle_payments'));
    await client.connect();
    try {
      return (await client.query<Row>(text)).rows;
    } finally {
      await client.end();
    }
  }
}

/** Resolves once an instance answers that it is ready. */
export async function untilReady({ name, healthPort }: Pick<StackProcess, 'name' | 'healthPort'>): Promise<void> {
  const deadline = performance.now() + READY_WAIT_MS;
  while (!(await isReady(healthPort))) {
    if (performance.now() > deadline) throw new Error(`${name} was not ready in ${READY_WAIT_MS} ms`);
    await new Promise((look) => setTimeout(look, LOOK_EVERY_MS));
  }
}

async function isReady(healthPort: number): Promise<boolean> {
  const asked = fetch(`http://127.0.0.1:${healthPort}/health/ready`, { signal: AbortSignal.timeout(1_000) });
  return asked.then(
    async (answer) => {
      await answer.arrayBuffer();
      return answer.ok;
    },
    () => false,
  );
}

/** The passwords are those that the stack keeps, the port that of the server's own note. */
async function databaseUrl(dataDir: string, database: string, role = 'postgres'): Promise<string> {
  const secrets = JSON.parse(await readFile(join(dataDir, 'secrets.json'), 'utf8')) as Record<string, string>;
  const port = (await readFile(join(dataDir, 'postgres', 'settle.port'), 'utf8')).trim();
  const password = secrets[role === 'postgres' ? 'superuser' : role];
  return `postgresql://${role}:${password}@127.0.0.1:${port}/${database}`;
}

async function fund(url: string, token: string, people: readonly Wallet[]): Promise<void> {
  const left = people.values();
  const payer = async () => {
    for (const { id } of left) {
      await eventually(
        async () => {
          const form = { user_id: id, amount: FUNDS, note: 'Funds' };
          const { status, text } = await call(`${url}/v1/payments`, { method: 'POST', token, form });
          // Not known yet is refused before anything is stored.
          if (status !== 200) throw new Error(`A wallet was not funded: ${status} ${text}`);
        },
        { timeoutMs: KNOWN_WAIT_MS },
      );
    }
  };
  await Promise.all(Array.from({ length: FUNDED_AT_ONCE }, payer));
}
