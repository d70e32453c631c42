import { TOPICS, type LedgerWatermark, type UserRecord } from '@settle/contracts';
import { eventually, startPostgresForSpecs, stopPostgresOfSpecs } from '@settle/testing';
import { LedgerLab, type LabInstance } from '../../test/ledger-lab/ledger-lab.fixture.js';
import { person } from '../../test/ledger-lab/people.fixture.js';
import { PublicTopics, type PlainRecord } from '../../test/public-events/public-topics.fixture.js';
import { PUBLISHED_TOPICS } from './published-topics.js';

const LONGEST_WAIT_MS = 45_000;
const PARTITIONS = 12;
describe('watermarks on Kafka', () => {
  let lab: LedgerLab;
  let instance: LabInstance;
  const [ann, bob] = [person(), person()] as const satisfies readonly UserRecord[];
  const topics = new PublicTopics();
  const watermarks: LedgerWatermark[] = [];
  /** The highest offset of each event of a payment's stream that was read, with its partition. */
  const offsets = new Map<string, { partition: number; offset: number }>();

  beforeAll(async () => {
    await startPostgresForSpecs();
    lab = await LedgerLab.open();
    instance = await lab.instance();
    await lab.know(ann, bob);
    await instance.fund(ann, 100_000);
    await topics.publish(lab.url);
    await eventually(expectUsersRecorded, { timeoutMs: LONGEST_WAIT_MS });
    await topics.consume([TOPICS.ledgerWatermarks, TOPICS.paymentsEvents], take);
  });
  afterAll(async () => {
    await topics.close();
    await lab.close();
    await stopPostgresOfSpecs();
  });

  function take({ topic, partition, value, headers, offset }: PlainRecord): void {
    if (topic === TOPICS.ledgerWatermarks) watermarks.push(JSON.parse(value) as LedgerWatermark);
    else offsets.set(headers['event-id'] ?? '', { partition, offset });
  }

  /** From then on the process stores no event by itself. */
  async function expectUsersRecorded(): Promise<void> {
    expect((await lab.pool.query('select from due_user_statuses')).rowCount).toBe(0);
  }

  async function newestPosition(): Promise<number> {
    const { rows } = await lab.pool.query<{ position: number }>('select max(position)::int as position from events');
    return rows[0]!.position;
  }

  /** Waits for a watermark of all partitions at a position. */
  async function watermarkAt(position: number): Promise<LedgerWatermark> {
    const isThere = ({ partitions }: LedgerWatermark) =>
      partitions.length === PUBLISHED_TOPICS.length * PARTITIONS &&
      partitions.every((mark) => mark.position >= position);
    await eventually(() => expect(watermarks.some(isThere)).toBe(true), { timeoutMs: LONGEST_WAIT_MS });
    return watermarks.find(isThere)!;
  }

  it('given payments, when a watermark has their position, then each event lies below the offset of its partition', async () => {
    for (let round = 0; round < 20; round += 1) await instance.create(ann, bob);
    const position = await newestPosition();
    const { partitions } = await watermarkAt(position);
    const { rows } = await lab.pool.query<{ id: string }>(
      `select id from events where position <= $1 and stream like 'payment-%'`,
      [position],
    );
    expect(rows.length).toBeGreaterThanOrEqual(40);
    await eventually(() => expect(rows.every(({ id }) => offsets.has(id))).toBe(true), { timeoutMs: LONGEST_WAIT_MS });
    for (const { id } of rows) {
      const { partition, offset } = offsets.get(id)!;
      const mark = partitions.find((each) => each.topic === TOPICS.paymentsEvents && each.partition === partition);
      expect(offset).toBeLessThan(mark!.offset);
    }
  });

  it('given an idle ledger, when the publishing process is replaced, then watermarks go on at the same position', async () => {
    const position = await newestPosition();
    await topics.processes.at(-1)!.kill();
    const before = watermarks.length;
    await topics.publish(lab.url);
    await eventually(() => expect(watermarks.length).toBeGreaterThan(before + 2), { timeoutMs: LONGEST_WAIT_MS });
    for (const { partitions } of watermarks.slice(-2)) {
      expect(partitions.map((mark) => mark.position)).toEqual(partitions.map(() => position));
    }
  });
});
