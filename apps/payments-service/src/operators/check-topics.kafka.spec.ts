import { readSettings } from '@settle/config';
import { eventually, startPostgresForSpecs, stopPostgresOfSpecs } from '@settle/testing';
import type { PoolClient } from 'pg';
import { LedgerLab, type LabInstance } from '../../test/ledger-lab/ledger-lab.fixture.js';
import { anEmail, person } from '../../test/ledger-lab/people.fixture.js';
import { PublicTopics } from '../../test/public-events/public-topics.fixture.js';
import { PUBLISHED_TOPICS } from '../public-events/published-topics.js';
import { checkTopics } from './check-topics.js';
import { Findings } from './findings.js';

const LONGEST_WAIT_MS = 45_000;
const HOUR_MS = 3_600_000;

describe('the checks of the contracts of public topics on Kafka', () => {
  let lab: LedgerLab;
  let instance: LabInstance;
  let client: PoolClient;
  const topics = new PublicTopics();
  const [ann, bob] = [person(), person()];

  beforeAll(async () => {
    await startPostgresForSpecs();
    lab = await LedgerLab.open();
    instance = await lab.instance({ env: { FEE_BPS: '200' } });
    client = await lab.pool.connect();
    await lab.know(ann, bob);
    await instance.fund(ann, 100_000);
    for (let round = 0; round < 5; round += 1) await instance.create(ann, round % 2 === 0 ? bob : anEmail());
    await lab.caughtUp();
    await topics.publish(lab.url);
  });
  afterAll(async () => {
    client.release();
    await topics.close();
    await lab.close();
    await stopPostgresOfSpecs();
  });

  async function check(nowMs = Date.now()): Promise<readonly [first: string | null, output: string]> {
    const [findings, lines]: [Findings, string[]] = [new Findings(), []];
    const settings = readSettings({ KAFKA_BROKERS: topics.brokers, KAFKA_TOPIC_PREFIX: topics.prefix });
    const say = (line: string) => void lines.push(line);
    await checkTopics({ settings, store: instance.store, client, findings, say, nowMs: () => nowMs }, PUBLISHED_TOPICS);
    return [findings.list().find(({ kind }) => kind === 'topic')?.first ?? null, lines.join('\n')];
  }

  it('given topics that are published, when they are checked, then they are fresh, complete, and lead to the balances', async () => {
    await eventually(
      async () => {
        const [first, output] = await check();
        expect([first, output]).toEqual([
          null,
          expect.stringMatching(/balances: [1-9]\d* wallets .* trial balance 0$/),
        ]);
        expect(output).toMatch(/^completeness: compared [1-9]\d* records with the log$/m);
      },
      { timeoutMs: LONGEST_WAIT_MS },
    );
  });

  it('given watermarks that ended an hour ago, when topics are checked, then they are not fresh', async () => {
    expect((await check(Date.now() + HOUR_MS))[0]).toBe('freshness: the newest watermark is older than 10 s');
  });
});
