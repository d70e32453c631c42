import { hash, randomUUID } from 'node:crypto';
import { readSettings } from '@settle/config';
import type { CreatePayment } from '@settle/contracts';
import { openEventStoreDb } from '@settle/event-store';
import { InMemoryBus } from '@settle/messaging';
import { createLogger } from '@settle/observability';
import { eventually, EventStoreDbStandIn } from '@settle/testing';
import { LedgerLab, type LabInstance } from '../../test/ledger-lab/ledger-lab.fixture.js';
import { rebuildParts } from '../../test/ledger-lab/rebuild-parts.fixture.js';
import { createCommand, listQuery, person } from '../../test/ledger-lab/people.fixture.js';
import { rebuildReadModels, type RebuildOrder } from '../operators/rebuild.js';
import { WHOLE_PAYMENT, paymentStream } from '../storage/streams.js';
import { startPaymentsService } from '../start-payments-service.js';
import { readMonthlyActivity } from '../read-models/monthly-activity/monthly-activity-query.js';
import { MONTHLY_ACTIVITY, monthOf } from '../read-models/monthly-activity/monthly-activity.js';
import { readCheckpoint } from './checkpoints.js';
import { readCheckpointWithEvent, setCheckpoint } from './lost-events.js';
import { READ_MODEL_NAMES } from '../read-models/registry.js';

const ALL: RebuildOrder = { models: READ_MODEL_NAMES, environment: 'live', acceptsDifferences: true };

describe('an EventStoreDB that was restored to an older copy while the service was stopped', () => {
  let standIn: EventStoreDbStandIn;
  let lab: LedgerLab;
  const [alice, bob] = [person(), person()];
  const logger = createLogger({ level: 'silent', service: 'spec' });

  beforeEach(async () => {
    standIn = await EventStoreDbStandIn.start();
    lab = await LedgerLab.open();
  });
  afterEach(async () => {
    await lab.close();
    await standIn.stop();
  });

  async function serve(): Promise<LabInstance> {
    const instance = await lab.instance({ openStore: () => openEventStoreDb({ url: standIn.url }) });
    await lab.know(alice, bob);
    return instance;
  }

  /** Starts the whole service, as its process does. */
  async function start() {
    const errors: Error[] = [];
    const service = await startPaymentsService({
      settings: readSettings({ NODE_ENV: 'test', EVENT_STORE: 'eventstoredb', EVENTSTORE_URL: standIn.url }),
      bus: new InMemoryBus({ logger }),
      logger,
      databaseUrl: lab.url,
      shape: 'distributed',
      onFatal: (error) => errors.push(error),
    });
    await service.close();
    expect(errors).toEqual([]);
  }

  async function rebuild(order: Partial<RebuildOrder> = {}): Promise<string[]> {
    const said: string[] = [];
    const store = await openEventStoreDb({ url: standIn.url });
    try {
      const parts = rebuildParts(lab, store, { logger, say: (line) => said.push(line) });
      const { switchedAt } = await rebuildReadModels(parts, { ...ALL, ...order });
      expect(switchedAt).not.toBeNull();
      return said;
    } finally {
      await store.close();
    }
  }

  const keyed = (key: string): CreatePayment =>
    createCommand(alice, bob, { idempotency: { key, requestHash: hash('sha256', key) } });

  const shown = async (instance: LabInstance) => {
    return (await instance.queries.list(listQuery(alice))).payments.map(({ id }) => id);
  };

  const sumsPlace = { schema: 'public', name: MONTHLY_ACTIVITY.name };

  /** Makes a payment, and returns how many of the payer the sums count once they have read its events. */
  async function payAndSum(instance: LabInstance): Promise<number> {
    const { payment } = await instance.commands.create(keyed(randomUUID()));
    const events = await instance.store.readStream(paymentStream(payment.id), WHOLE_PAYMENT);
    const newest = events.at(-1)?.position;
    await eventually(async () => {
      const { rows } = await lab.pool.query<{ version: number }>('select version from checkpoints where name = $1', [
        sumsPlace.name,
      ]);
      expect(rows).toEqual([{ version: MONTHLY_ACTIVITY.version }]);
      expect(await readCheckpoint(lab.pool, sumsPlace.name)).toBeGreaterThanOrEqual(Number(newest));
    });
    const rows = await readMonthlyActivity(lab.pool, alice.card.id, monthOf(Date.now() * 1_000));
    return rows.reduce((sum, { paidCount }) => sum + paidCount, 0);
  }

  const checkpoint = () => readCheckpointWithEvent(lab.pool, { schema: 'public' });

  /** Waits until the read models hold every event that was appended by now. */
  async function projected(instance: LabInstance): Promise<void> {
    const newest = await instance.store.newestPosition();
    await eventually(async () => expect((await checkpoint()).position).toBeGreaterThanOrEqual(newest));
  }

  /** One payment that the restored log holds, and one that it lost, each under its key. */
  async function loseOnePayment() {
    const [key, lostKey] = [randomUUID(), randomUUID()];
    const instance = await serve();
    await instance.fund(alice, 100_000);
    const { payment: kept } = await instance.commands.create(keyed(key));
    await projected(instance);
    const { events } = await standIn.state();
    const { payment: lost } = await instance.commands.create(keyed(lostKey));
    await projected(instance);
    await instance.stop();
    await standIn.restoreTo(events);
    return { key, lostKey, kept, lost };
  }

  it('given read models ahead of the log, when the service starts, then it ends and names the way out', async () => {
    await start();
    await loseOnePayment();
    await expect(start()).rejects.toThrow(
      /went back behind the read models \(live\).*npm run projections -- rebuild all --accept-differences; .*ledger -- republish/,
    );
  });

  it('given an empty log, when the service starts on read models of before, then it ends', async () => {
    await loseOnePayment();
    await standIn.restoreTo(0);
    await expect(start()).rejects.toThrow(/went back behind the read models/);
  });

  it('given read models ahead of the log, when all are rebuilt, then the service starts and later payments are listed', async () => {
    const { key, lostKey, kept, lost } = await loseOnePayment();
    await lab.pool.query(
      `update provider_changes set cursor = 'after the lost events', read_epoch = (select epoch from public_event_epoch)`,
    );
    await expect(rebuild({ models: ['payments'] })).rejects.toThrow(/Write rebuild all/);
    const said = await rebuild();
    expect(said).toContain('the checkpoint goes back with the log; 1 idempotency keys of lost payments are removed');
    // The provider may have done what the log has lost: its changes are read again before funding begins.
    const { rows } = await lab.pool.query('select cursor, read_epoch from provider_changes');
    expect(rows).toEqual([{ cursor: null, read_epoch: null }]);
    await start();
    const instance = await serve();
    expect(await shown(instance)).toEqual([kept.id]);
    expect((await instance.commands.create(keyed(key))).payment.id).toBe(kept.id);
    const { payment: later } = await instance.commands.create(keyed(lostKey));
    expect(later.id).not.toBe(lost.id);
    await projected(instance);
    expect(await shown(instance)).toEqual([later.id, kept.id]);
    expect(await instance.balance(bob)).toBe(2 * kept.amountCents);
    await instance.stop();
    await start();
  });

  it('given an instance that serves, when a rebuild finds that the log went back, then it is refused', async () => {
    await loseOnePayment();
    await serve();
    await expect(rebuild()).rejects.toThrow(/still runs/);
  });

  it('given a checkpoint that names no event, when the service starts, then nothing is compared', async () => {
    await loseOnePayment();
    await setCheckpoint(lab.pool, { schema: 'public' }, { position: (await checkpoint()).position, event: null });
    await start();
  });

  it('given an instance of an earlier version that moved the checkpoint, when the event is lost, then the start still ends', async () => {
    await loseOnePayment();
    const { position, event } = await checkpoint();
    const { rows } = await lab.pool.query<{ fence: string }>(`select fence from checkpoints where name = 'ledger'`);
    await lab.pool.query('select move_checkpoint($1, $2, $3, $4)', ['ledger', position, position + 7, rows[0]?.fence]);
    expect(await checkpoint()).toEqual({ position: position + 7, event });
    await expect(start()).rejects.toThrow(/went back/);
  });

  it('given a checkpoint that events of others had brought beyond the end of the log, when the service starts, then it is set back', async () => {
    const instance = await serve();
    await instance.fund(alice, 100);
    await projected(instance);
    await instance.stop();
    const { position, event } = await checkpoint();
    await setCheckpoint(lab.pool, { schema: 'public' }, { position: position + 1_000_000, event });
    await start();
    expect((await checkpoint()).position).toBeLessThan(position + 1_000_000);
  });

  it('given sums that no instance has begun, when all read models are rebuilt behind the lost end, then each payment counts once', async () => {
    await loseOnePayment();
    for (const table of ['checkpoints', 'checkpoint_positions'])
      await lab.pool.query(`delete from ${table} where name = $1`, [sumsPlace.name]);
    await lab.pool.query('truncate monthly_activity');
    await rebuild();
    expect(await payAndSum(await serve())).toBe(2);
  });

  it('given sums whose checkpoint only events of others had moved, when it is beyond the end of the log, then they are computed again', async () => {
    await loseOnePayment();
    await rebuild();
    await setCheckpoint(lab.pool, sumsPlace, { position: (await checkpoint()).position + 1_000_000, event: null });
    await start();
    expect(await payAndSum(await serve())).toBe(2);
  });
});
