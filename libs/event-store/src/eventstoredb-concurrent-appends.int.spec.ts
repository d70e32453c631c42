import { eventually, EventStoreDbStandIn } from '@settle/testing';
import { buildAppend, buildUnit, getNumbers, getOutcome, readAll } from '../test/contract.fixture.js';
import { AppendOutcomeUnknown, NO_STREAM, type AppendUnit, type StreamAppend } from './event-store.js';
import { EventStoreDbEventStore } from './eventstoredb-event-store.js';
import type { EventStoreDbLimits } from './limits.js';

const PATIENT: Partial<EventStoreDbLimits> = { unitWaitMs: 20_000, appendGiveUpMs: 20_000, readGiveUpMs: 20_000 };

describe('EventStoreDbEventStore with concurrent appends', () => {
  let standIn: EventStoreDbStandIn;
  const stores: EventStoreDbEventStore[] = [];

  async function open(limits: Partial<EventStoreDbLimits>): Promise<EventStoreDbEventStore> {
    const store = await EventStoreDbEventStore.open({ url: standIn.url, limits });
    stores.push(store);
    return store;
  }

  beforeEach(async () => {
    standIn = await EventStoreDbStandIn.start();
  });
  afterEach(async () => {
    await Promise.all(stores.splice(0).map((store) => store.close()));
    await standIn.stop();
  });

  describe.each(['payment-1', 'wallet-1'])('given two concurrent appends, of which that to %s is cut off', (cutOff) => {
    it.each(['before', 'while', 'after'] as const)(
      'when that is %s it is stored, then the outcome is unknown and the rest can be appended',
      async (moment) => {
        const store = await open({ appendGiveUpMs: 2_000, answerMs: 400 });
        const patient = await open(PATIENT);
        await patient.append(buildUnit('payment-1', NO_STREAM, 1));
        const unit: AppendUnit = [
          buildAppend('payment-2', NO_STREAM, [2]),
          buildAppend('payment-1', 0, [3]),
          { ...buildAppend('wallet-1', NO_STREAM, [4]), isConcurrent: true },
        ];
        await standIn.fail({ silentStream: { name: cutOff, isStored: moment === 'after' } });
        const outcome = getOutcome(store.append(unit));
        await eventually(async () => expect((await standIn.state()).events).toBe(moment === 'after' ? 4 : 3));
        if (moment === 'while') await standIn.kill();
        expect(await outcome).toBe(AppendOutcomeUnknown.name);
        if (moment === 'while') await standIn.restart();
        await standIn.fail({ silentStream: null });
        const isStored = async (append: StreamAppend) =>
          (await readAll(patient, append.stream)).some(({ id }) => id === append.events[0]!.id);
        const missing: StreamAppend[] = [];
        for (const append of unit) if (!(await isStored(append))) missing.push(append);
        expect(missing.map(({ stream }) => stream)).toEqual(moment === 'after' ? [] : [cutOff]);
        // The same command sent again with all of its unit: as the first time, or a conflict that leads to the rest.
        expect(await getOutcome(patient.append(unit))).toBe(moment === 'after' ? 'stored' : 'RevisionConflict');
        if (missing.length > 0) await patient.append(missing);
        expect(getNumbers(await readAll(patient, 'payment-1'))).toEqual([1, 3]);
        expect(getNumbers(await readAll(patient, 'wallet-1'))).toEqual([4]);
      },
    );
  });
});
