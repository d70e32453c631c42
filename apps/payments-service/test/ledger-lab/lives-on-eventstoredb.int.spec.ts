import type { UsersStateRecord } from '@settle/contracts';
import { openEventStoreDb } from '@settle/event-store';
import { eventually, EventStoreDbStandIn } from '@settle/testing';
import { rebuildReadModels } from '../../src/operators/rebuild.js';
import { READ_MODEL_NAMES, tablesOf } from '../../src/read-models/registry.js';
import { LEDGERS_PREFIXES } from '../../src/storage/environments.js';
import { LEDGER_PREFIXES } from '../../src/storage/streams.js';
import { Findings } from '../../src/operators/findings.js';
import { snapshotsOf } from '../../src/operators/snapshots.js';
import { verifyLedger } from '../../src/operators/verify-ledger.js';
import { LedgerLab, type LabInstance } from './ledger-lab.fixture.js';
import { rebuildParts } from './rebuild-parts.fixture.js';
import { LIVES, type Life } from './lives.fixture.js';
import { createCommand, person } from './people.fixture.js';

const COPY_EVENT = `insert into events (position, stream, revision, type, id, data) overriding system value
  values ($1, $2, $3, $4, $5, $6)`;

describe('every life of a payment, with its events in EventStoreDB', () => {
  let standIn: EventStoreDbStandIn;
  let lab: LedgerLab;
  let one: LabInstance;
  let other: LabInstance;

  beforeAll(async () => {
    standIn = await EventStoreDbStandIn.start();
    lab = await LedgerLab.open();
    const openStore = () =>
      openEventStoreDb({ url: standIn.url, sharedPrefixes: LEDGERS_PREFIXES, limits: { answerMs: 150 } });
    one = await lab.instance({ openStore });
    other = await lab.instance({ openStore });
  });
  afterAll(async () => {
    await lab.close();
    await standIn.stop();
  });

  async function live(life: Life): Promise<void> {
    const [actor, target] = [person(life.actor), person(life.target)];
    await lab.know(actor, target);
    const [actorCents, targetCents] = life.cents ?? [0, 0];
    if (actorCents > 0) await other.fund(actor, actorCents);
    if (targetCents > 0) await other.fund(target, targetCents);
    const know = (...records: readonly UsersStateRecord[]) => lab.know(...records);
    const scene = { failing: one, steady: other, actor, target, know };
    const paymentId = (await life.before?.(scene)) ?? createCommand(actor, target).paymentId;
    await life.run(scene, paymentId).catch((error: unknown) => {
      expect(error).toMatchObject({ code: 'insufficient_funds' });
    });
    await eventually(async () => {
      expect((await one.view(actor, paymentId)).status).toBe(life.status);
      expect([await one.balance(actor), await one.balance(target)]).toEqual(life.balances);
    });
  }

  it.each(LIVES)('given two instances, when it lives through $mode, then it ends as it should', (life) => live(life));

  it.each(LIVES)(
    'given a lost response, when a payment runs through $mode, then its result is the same',
    async (life) => {
      await standIn.fail({ responsesToDrop: 1 });
      await live(life);
      expect((await standIn.state()).droppedResponses).toBe(1);
    },
  );

  it('given all of this, when the read models are rebuilt, then they are as the live ones and take their place', async () => {
    const order = { models: READ_MODEL_NAMES, environment: 'live' as const, acceptsDifferences: false };
    const { comparisons, switchedAt } = await rebuildReadModels(
      rebuildParts(lab, one.store, { clock: one.ledger.clock }),
      order,
    );
    expect(comparisons.map(({ first }) => first)).toEqual(tablesOf(READ_MODEL_NAMES).map(() => null));
    expect(switchedAt).toBeGreaterThan(0);
  });

  it('given all of this, when the ledger is verified, then every kind is in order', async () => {
    const client = await lab.pool.connect();
    const findings = new Findings();
    const sums = await verifyLedger({
      store: one.store,
      client,
      atOneMoment: snapshotsOf(client),
      findings,
      say: () => undefined,
    });
    client.release(true);
    expect(findings.list().filter(({ first }) => first !== null)).toEqual([]);
    expect(sums.payments).toBeGreaterThan(LIVES.length);
  });

  it('given all of this, when the ledger is read over, then it is in order', async () => {
    const { events } = await standIn.state();
    let copied = 0;
    await new Promise<void>((resolve, reject) => {
      one.store.subscribe({
        streamPrefixes: [...LEDGER_PREFIXES, 'deposit-'],
        after: 0,
        batchSize: 1_000,
        handle: async (batch) => {
          for (const { position, stream, revision, type, id, data } of batch) {
            await lab.pool.query(COPY_EVENT, [position, stream, revision, type, id, JSON.stringify(data)]);
          }
          copied += batch.length;
          if (copied === events) resolve();
        },
        onError: reject,
      });
    });
    await lab.expectInOrder();
  });
});
