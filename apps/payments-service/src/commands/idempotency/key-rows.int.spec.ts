import { LIMITS } from '@settle/config';
import { LedgerLab, type LabInstance } from '../../../test/ledger-lab/ledger-lab.fixture.js';
import { createCommand, person } from '../../../test/ledger-lab/people.fixture.js';

const { keysKeptMs, keysPerDelete } = LIMITS.payments;
const idempotency = { key: 'order-7', requestHash: '0f'.repeat(32) };

describe('keys and time', () => {
  let lab: LedgerLab;
  let instance: LabInstance;
  let nowMs = Date.now();
  const [alice, bob] = [person(), person()];

  beforeEach(async () => {
    lab = await LedgerLab.open();
    instance = await lab.instance({ nowMs: () => nowMs });
    await lab.know(alice, bob);
    await instance.fund(alice, 1_000);
  });
  afterEach(() => lab.close());

  const rowCount = async () => (await lab.pool.query('select from idempotency_keys')).rowCount;
  const pay = () => instance.commands.create(createCommand(alice, bob, { idempotency }));

  // Shows key-16
  it('given an answered request, when a day has passed, then its key is free, and not before', async () => {
    const first = await pay();
    nowMs += keysKeptMs - 1_000;
    expect(await instance.ledger.worker.removeExpiredKeys()).toBe(0);
    expect(await pay()).toEqual({ ...first, isReplayed: true });
    nowMs += 2_000;
    const second = await pay();
    expect(second.payment.id).not.toBe(first.payment.id);
    expect(await pay()).toEqual({ ...second, isReplayed: true });
    expect(await instance.balance(alice)).toBe(800);
  });

  it('given keys of a day ago, when two instances sweep at once, then they are gone, and the young ones are not', async () => {
    await pay();
    const old = 3 * keysPerDelete;
    await fill(lab, old, nowMs - keysKeptMs);
    const other = await lab.instance({ nowMs: () => nowMs });
    const removed = await Promise.all([instance, other].map(({ ledger }) => ledger.worker.removeExpiredKeys()));
    const rest = await instance.ledger.worker.removeExpiredKeys();
    expect((removed[0] ?? 0) + (removed[1] ?? 0) + rest).toBe(old);
    expect(await rowCount()).toBe(1);
  });

  it('given many more old keys than one statement removes, when they are removed, then all are, and the young ones not', async () => {
    await pay();
    const old = 25 * keysPerDelete + 5;
    await fill(lab, old, nowMs - keysKeptMs);
    expect(await instance.ledger.worker.removeExpiredKeys()).toBe(old);
    expect(await rowCount()).toBe(1);
  });
});

function fill(lab: LedgerLab, rows: number, atMs: number): Promise<unknown> {
  return lab.pool.query(
    `insert into idempotency_keys
      select 1, 'lab', 'live', 'old-' || n, '', gen_random_uuid(), 1, $2::bigint - n, false, null
      from generate_series(1, $1::integer) n`,
    [rows, atMs * 1_000],
  );
}
