import { createPool } from '@settle/postgres';
import { FreezingPath, eventually } from '@settle/testing';
import type { Pool } from 'pg';
import { LedgerLab, type LabInstance } from '../../test/ledger-lab/ledger-lab.fixture.js';
import { person } from '../../test/ledger-lab/people.fixture.js';
import { LEDGER_PROJECTION } from '../read-models/ledger/ledger-projection.js';
import { MONTHLY_ACTIVITY } from '../read-models/monthly-activity/monthly-activity.js';
import { CheckpointConnection } from './checkpoint-connection.js';

const NOTE = 'the path freezes in this note';
/** The lease ends after 1.5 s; the rest is for a busy machine. The stalled session itself would last for minutes. */
const SERVES_AGAIN_WITHIN_MS = 20_000;

describe('a projector that freezes in the middle of its message', () => {
  let lab: LedgerLab;
  let path: FreezingPath;
  let slowPool: Pool;
  let first: LabInstance;
  let second: LabInstance;
  const [one, other] = [person(), person()];

  beforeEach(async () => {
    lab = await LedgerLab.open();
    path = await FreezingPath.to(lab.url);
    slowPool = createPool(path.url, { max: 4, name: 'payments-projections', schemas: ['public'] });
    first = await lab.instance({ wrapProjections: () => slowPool });
    second = await lab.instance();
    await lab.know(one, other);
    await second.fund(one, 10_000);
    await eventually(() => expect(first.ledger.projector.progress().isProjecting).toBe(true));
  });
  afterEach(async () => {
    path.thaw();
    await first.stop();
    await slowPool.end();
    await lab.expectInOrder();
    await lab.close();
    await path.close();
  });

  /** Returns the state and the wait event of every session that projects and waits for the rest of a message. */
  async function stalledSessions(): Promise<readonly string[]> {
    const { rows } = await lab.pool.query<{ wait_event: string }>(
      `select wait_event from pg_stat_activity where datname = current_database() and state = 'active'
         and application_name = 'payments-projections' and wait_event = 'ClientRead'`,
    );
    return rows.map(({ wait_event }) => wait_event);
  }

  it.each<[kind: string, freeze: () => Promise<unknown>]>([
    ['new payments', () => second.create(one, other, { note: NOTE })],
    [
      'new payments beside changes of earlier ones',
      async () => {
        const { payment } = await second.create(one, other, { action: 'charge' });
        await Promise.all([second.act(other, 'deny', payment.id), second.create(one, other, { note: NOTE })]);
      },
    ],
  ])(
    'given %s in the message, when another instance takes the lease, then it ends that session and shows payments',
    async (_kind, act) => {
      const frozen = path.freezeInside(NOTE, 0);
      const acting = act();
      await frozen;
      await eventually(async () => expect(await stalledSessions()).toHaveLength(1));
      const since = performance.now();
      await eventually(() => expect(second.ledger.projector.progress().isProjecting).toBe(true));
      await acting;
      const { payment } = await second.create(one, other);
      await lab.caughtUp();
      expect(performance.now() - since).toBeLessThan(SERVES_AGAIN_WITHIN_MS);
      expect((await second.view(other, payment.id)).status).toBe('settled');
      path.thaw();
      await eventually(async () => expect(await stalledSessions()).toEqual([]));
      await second.create(one, other);
      expect(first.ledger.projector.progress().isProjecting).toBe(false);
    },
  );
});

describe('the connection of a checkpoint', () => {
  let lab: LedgerLab;
  let pools: Pool[];

  beforeEach(async () => {
    lab = await LedgerLab.open();
    pools = [1, 2].map(() => createPool(lab.url, { max: 1, name: 'spec' }));
  });
  afterEach(async () => {
    await Promise.all(pools.map((pool) => pool.end()));
    await lab.close();
  });

  it("given a session under another's former process id, when the checkpoint is claimed, then that session lives", async () => {
    const [bystander, pool] = pools as [Pool, Pool];
    const { rows } = await bystander.query<{ pid: number }>('select pg_backend_pid() as pid');
    await lab.pool.query(`insert into checkpoints (name, position, fence, backend_pid, backend_start)
      values ('ledger', 0, 1, ${rows[0]?.pid}, clock_timestamp() - interval '1 hour')`);
    const connection = new CheckpointConnection({ pool, fence: 2, projection: LEDGER_PROJECTION });
    expect(await connection.claim()).toBe(0);
    connection.close();
    expect((await bystander.query('select pg_backend_pid() as pid')).rows).toEqual(rows);
  });

  it('given a holder of a larger fence, when one of a smaller fence claims, then it gets nothing and ends nothing', async () => {
    const [larger, smaller] = pools.map(
      (pool, index) => new CheckpointConnection({ pool, fence: 2 - index, projection: LEDGER_PROJECTION }),
    ) as [CheckpointConnection, CheckpointConnection];
    await larger.claim();
    expect(await smaller.claim()).toBeNull();
    await larger.use(0, async (client) => void (await client.query('select')));
    smaller.close();
    larger.close();
  });

  it('given two connections that were closed, when others of the same process claim, then neither ends the session of the other', async () => {
    const pool = createPool(lab.url, { max: 2, name: 'spec' });
    const connect = (fence: number) =>
      [LEDGER_PROJECTION, MONTHLY_ACTIVITY].map(
        (projection) => new CheckpointConnection({ pool, fence, projection }),
      ) as [CheckpointConnection, CheckpointConnection];
    const [ledger, sums] = connect(1);
    await ledger.claim();
    await sums.claim();
    sums.close();
    // The session that was released last is the first to be used again.
    ledger.close();
    const [nextLedger, nextSums] = connect(2);
    const session = () =>
      nextSums.use(0, async (client) => (await client.query('select pg_backend_pid() as pid')).rows);
    await nextSums.claim();
    const before = await session();
    await nextLedger.claim();
    expect(await session()).toEqual(before);
    nextSums.close();
    nextLedger.close();
    await pool.end();
  });
});
