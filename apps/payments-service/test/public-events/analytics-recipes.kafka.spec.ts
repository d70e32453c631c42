import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { TOPICS, type UserRecord } from '@settle/contracts';
import { eventually, startPostgresForSpecs, stopPostgresOfSpecs, type ConnectWorker } from '@settle/testing';
import { raisePublicEventEpoch } from '../../src/public-events/public-event-epoch.js';
import { PUBLISHED_TOPICS } from '../../src/public-events/published-topics.js';
import { LedgerLab, type LabInstance } from '../ledger-lab/ledger-lab.fixture.js';
import { person } from '../ledger-lab/people.fixture.js';
import { runCommandProcess } from '../operators/command-process.fixture.js';
import { readTables, runPython, type RecipeTables } from './analytics-recipes.fixture.js';
import { startFileSink } from './file-sink.fixture.js';
import { makePayments } from './make-payments.fixture.js';
import { PublicTopics } from './public-topics.fixture.js';

const LONGEST_WAIT_MS = 90_000;
const ROUNDS = 10;
/** Those that the sink of the recipes reads. */
const SINK_TOPICS: readonly unknown[] = [TOPICS.paymentsEvents, TOPICS.ledgerEntries];

// On a machine without the packages of the recipes, npm test leaves this file out and says so.
describe('the recipes for analysts on Kafka', () => {
  let lab: LedgerLab;
  let instance: LabInstance;
  let folder: string;
  let worker: ConnectWorker | null = null;
  const users: readonly UserRecord[] = [person(), person(), person()];
  const topics = new PublicTopics();
  const env = { KAFKA_BROKERS: topics.brokers, KAFKA_TOPIC_PREFIX: topics.prefix };

  beforeAll(async () => {
    await startPostgresForSpecs();
    folder = await mkdtemp(path.join(tmpdir(), 'settle-recipes-'));
    lab = await LedgerLab.open();
    instance = await lab.instance({ env: { FEE_BPS: '200' } });
    await lab.know(...users);
    await instance.fund(users[0]!, 1_000_000);
    await makePayments(instance, users, ROUNDS);
    await topics.publish(lab.url);
  }, LONGEST_WAIT_MS);
  afterAll(async () => {
    await worker?.kill();
    await topics.close();
    await lab.close();
    await rm(folder, { recursive: true });
    await stopPostgresOfSpecs();
  });

  const fileOf = (name: string): string => path.join(folder, name);

  /** Runs the recipe for DuckDB until the file has every event. Returns its tables. */
  async function fill(name: string): Promise<RecipeTables> {
    const exported = await exportAll();
    const fillOnce = async () => {
      await runPython(['to_duckdb.py', fileOf(name)], env);
      const tables = await readTables(fileOf(name));
      expect(tables).toEqual(exported);
      return tables;
    };
    await eventually(fillOnce, { timeoutMs: LONGEST_WAIT_MS });
    return exported;
  }

  /** Returns the tables that the recipe makes of the exports of now. */
  async function exportAll(): Promise<RecipeTables> {
    const files: string[] = [];
    for (const { topic } of PUBLISHED_TOPICS) {
      const args = ['export', '--topic', topic, '--file', fileOf(`${topic}.ndjson`)];
      const { code, stderr } = await runCommandProcess('events-command.js', args, { DATABASE_URL: lab.url });
      expect([stderr, code]).toEqual(['', 0]);
      files.push(fileOf(`${topic}.ndjson`));
    }
    const name = fileOf('exported.duckdb');
    await rm(name, { force: true });
    await runPython(['to_duckdb.py', name, ...files]);
    return readTables(name);
  }

  async function expectBalancesOfApi({ balances }: RecipeTables): Promise<void> {
    const centsOf = new Map(balances.map(([account, , cents]) => [account, Number(cents)]));
    const ofApi = await Promise.all(users.map((user) => instance.balance(user)));
    expect(users.map(({ card }) => centsOf.get(`wallet:${card.id}`) ?? 0)).toEqual(ofApi);
    expect([...centsOf.values()].reduce((sum, cents) => sum + cents, 0)).toBe(0);
  }

  it('given payments, when the topics are read up to the watermark, then both recipes have the tables of the exports and the balances of the API', async () => {
    const tables = await fill('kept.duckdb');
    await expectBalancesOfApi(tables);
    expect(tables.payments).toHaveLength(5 * ROUNDS);
    await runPython(['to_polars.py', fileOf('frames')], env);
    expect(await readTables(fileOf('frames'))).toEqual(tables);
  }, 120_000);

  it('given a publishing process that is killed while money moves, when the recipe continues, then a late joiner has the same tables', async () => {
    const making = makePayments(instance, users, ROUNDS);
    await topics.processes.at(-1)!.kill();
    await topics.publish(lab.url);
    await making;
    const tables = await fill('kept.duckdb');
    await expectBalancesOfApi(tables);
    expect(await fill('late.duckdb')).toEqual(tables);
  }, 120_000);

  it('given a raised epoch, when the recipe continues, then its tables are made of the topics anew', async () => {
    const before = await readTables(fileOf('kept.duckdb'));
    await topics.killProcesses();
    await raisePublicEventEpoch(lab.pool);
    await topics.publish(lab.url);
    const epochs = async () => {
      await runPython(['to_duckdb.py', fileOf('kept.duckdb')], env);
      const program =
        'import duckdb, sys; print(duckdb.connect(sys.argv[1]).execute("select min(epoch) from places").fetchall())';
      expect(await runPython(['-c', program, fileOf('kept.duckdb')])).toBe('[(2,)]\n');
    };
    await eventually(epochs, { timeoutMs: LONGEST_WAIT_MS });
    expect(await fill('kept.duckdb')).toEqual(before);
  }, 120_000);

  it('given the file sink of Kafka Connect, when it runs, then its file has the value of every record', async () => {
    const { events } = await fill('kept.duckdb');
    worker = await startFileSink(folder, topics.brokers, topics.prefix);
    const sunk = events.filter(([topic]) => SINK_TOPICS.includes(topic));
    const values = new Set(sunk.map((row) => String(row.at(-1))));
    const check = async () => {
      const lines = (await readFile(fileOf('events.ndjson'), 'utf8')).split('\n').slice(0, -1);
      expect(new Set(lines)).toEqual(values);
    };
    await eventually(check, { timeoutMs: LONGEST_WAIT_MS });
  }, 120_000);
});
