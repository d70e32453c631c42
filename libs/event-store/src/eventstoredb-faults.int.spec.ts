import { randomUUID } from 'node:crypto';
import { eventually, EventStoreDbStandIn } from '@settle/testing';
import {
  buildAppend,
  expectInOrderWithoutGaps,
  getNumbers,
  getOutcome,
  readAll,
  Recorder,
  buildUnit,
} from '../test/contract.fixture.js';
import { AppendOutcomeUnknown, NO_STREAM, StoreUnavailable, type AppendUnit } from './event-store.js';
import { EventStoreDbEventStore } from './eventstoredb-event-store.js';
import type { EventStoreDbLimits } from './limits.js';

const PATIENT: Partial<EventStoreDbLimits> = {
  unitWaitMs: 20_000,
  appendGiveUpMs: 20_000,
  readGiveUpMs: 20_000,
  answerMs: 400,
};
/** Gives up so soon that a busy machine may fail any call: for calls that must fail. */
const IMPATIENT: Partial<EventStoreDbLimits> = { appendGiveUpMs: 500, readGiveUpMs: 500, answerMs: 200 };

describe('EventStoreDbEventStore on a failing server', () => {
  let standIn: EventStoreDbStandIn;
  const stores: EventStoreDbEventStore[] = [];

  async function open(
    limits: Partial<EventStoreDbLimits>,
    sharedPrefixes: readonly string[] = [],
  ): Promise<EventStoreDbEventStore> {
    const store = await EventStoreDbEventStore.open({ url: standIn.url, limits, sharedPrefixes });
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

  it('given lost responses, when units are appended, then they succeed and are stored once', async () => {
    const store = await open(PATIENT);
    await standIn.fail({ responsesToDrop: 20 });
    const units = Array.from({ length: 40 }, (_, number) =>
      buildUnit(`wallet-${number % 8}`, Math.floor(number / 8) - 1, number),
    );
    const results = await Promise.all(units.map((unit) => store.append(unit)));
    const { events, droppedResponses } = await standIn.state();
    expect([events, droppedResponses]).toEqual([40, 20]);
    // The first unit of each of the eight streams is sent at once, and the four behind it as one append.
    expect(new Set(results.map(({ position }) => position)).size).toBe(16);
    expect(getNumbers(await readAll(store, 'wallet-3'))).toEqual([3, 11, 19, 27, 35]);
  });

  it('given a node that is not ready, when a unit waits too long, then it is rejected and nothing is stored', async () => {
    const patient = await open(PATIENT);
    const impatient = await open(IMPATIENT);
    await patient.append(buildUnit('wallet-1', NO_STREAM, 1));
    await standIn.fail({ notReady: true });
    await expect(impatient.append(buildUnit('wallet-1', 0, 2))).rejects.toThrow(StoreUnavailable);
    await expect(readAll(impatient, 'wallet-1')).rejects.toThrow(StoreUnavailable);
    await standIn.fail({ notReady: false });
    await patient.append(buildUnit('wallet-1', 0, 3));
    expect(getNumbers(await readAll(patient, 'wallet-1'))).toEqual([1, 3]);
  });

  it('given a node that is not ready, when a unit is appended, then it is stored and delivered once the node is ready', async () => {
    const store = await open(PATIENT);
    const recorder = new Recorder();
    await standIn.fail({ notReady: true });
    store.subscribe(recorder.options(['wallet-']));
    const appended = store.append(buildUnit('wallet-1', NO_STREAM, 1));
    await eventually(() => expect(recorder.errors.length).toBeGreaterThan(2));
    await standIn.fail({ notReady: false });
    await appended;
    await recorder.waitForEvents(1);
  });

  it('given a killed server, when units are appended, then those not sent are unavailable and those sent have an unknown outcome', async () => {
    const store = await open(IMPATIENT);
    await standIn.fail({ responsesToDrop: 1 });
    const unit = buildUnit('wallet-1', NO_STREAM, 1);
    const sent = getOutcome(store.append(unit));
    await eventually(async () => expect((await standIn.state()).droppedResponses).toBe(1));
    await standIn.kill();
    expect(await sent).toBe(AppendOutcomeUnknown.name);
    expect(await getOutcome(store.append(buildUnit('wallet-2', NO_STREAM, 2)))).toBe(StoreUnavailable.name);
    await standIn.restart();
    const other = await open(PATIENT);
    await other.append(unit);
    expect(getNumbers(await readAll(other, 'wallet-1'))).toEqual([1]);
    expect(await readAll(other, 'wallet-2')).toEqual([]);
  });

  it('given a partly stored unit, when it is read, then its prefix is stored and the rest can be appended', async () => {
    const store = await open({ appendGiveUpMs: 6_000, readGiveUpMs: 20_000, answerMs: 4_000 });
    const unit: AppendUnit = [
      buildAppend('payment-1', NO_STREAM, [1]),
      buildAppend('wallet-1', NO_STREAM, [2]),
      buildAppend('payment-1', 0, [3]),
    ];
    // The server is killed while it holds the second append back.
    await standIn.fail({ delayMs: 2_000 });
    const outcome = getOutcome(store.append(unit));
    await eventually(async () => expect((await standIn.state()).events).toBe(1));
    await standIn.kill();
    expect(await outcome).toBe(AppendOutcomeUnknown.name);
    await standIn.restart();
    expect(getNumbers(await readAll(store, 'payment-1'))).toEqual([1]);
    expect(await getOutcome(store.append(unit))).toBe('RevisionConflict');
    await store.append(unit.slice(1));
    expect(getNumbers(await readAll(store, 'payment-1'))).toEqual([1, 3]);
    expect(getNumbers(await readAll(store, 'wallet-1'))).toEqual([2]);
  });

  it('given a frozen server, when it resumes in time, then the pending units are stored once', async () => {
    const store = await open(PATIENT);
    await store.append(buildUnit('wallet-0', NO_STREAM, 0));
    standIn.freeze();
    const startedAtMs = performance.now();
    const appends = Array.from({ length: 200 }, (_, number) => store.append(buildUnit(`wallet-1`, number - 1, number)));
    const read = readAll(store, 'wallet-0');
    await eventually(() => expect(performance.now() - startedAtMs).toBeGreaterThan(1_000));
    standIn.thaw();
    await Promise.all(appends);
    expect(getNumbers(await read)).toEqual([0]);
    expect(await readAll(store, 'wallet-1')).toHaveLength(200);
  });

  it('given a frozen server and the most appends in flight, when all time out, then the process keeps running', async () => {
    const store = await open(IMPATIENT);
    const padding = 'x'.repeat(15_000);
    const large = (stream: string): AppendUnit => [
      { stream, expectedRevision: NO_STREAM, events: [{ id: randomUUID(), type: 'Counted', data: { padding } }] },
    ];
    for (let round = 0; round < 4; round += 1) {
      await eventually(() => store.append(large(`before-${round}`)));
      standIn.freeze();
      const appends = Array.from({ length: 300 }, (_, number) => store.append(large(`wallet-${round}-${number}`)));
      const outcomes = new Set(await Promise.all(appends.map(getOutcome)));
      expect([...outcomes].sort()).toEqual([AppendOutcomeUnknown.name, StoreUnavailable.name]);
      await expect(readAll(store, `before-${round}`)).rejects.toThrow(StoreUnavailable);
      standIn.thaw();
    }
  });

  it('given a subscription that the server drops, when it resumes, then each event is delivered once', async () => {
    const store = await open(PATIENT, ['wallet-']);
    const recorder = new Recorder();
    store.subscribe(recorder.options(['wallet-'], { batchSize: 10 }));
    for (let number = 0; number < 300; number += 1) {
      await store.append(buildUnit('wallet-1', number - 1, number));
      if (number % 100 === 50) await standIn.dropSubscribers();
    }
    await recorder.waitForEvents(300);
    expectInOrderWithoutGaps(recorder.events);
    expect(recorder.errors).toHaveLength(3);
  });

  it('given a server that is killed repeatedly under load, when all appends are done, then each event is stored once', async () => {
    const store = await open(PATIENT, ['wallet-']);
    const recorder = new Recorder();
    store.subscribe(recorder.options(['wallet-']));
    let isOver = false;
    const counts = await Promise.all([
      ...Array.from({ length: 100 }, async (_, writer) => {
        let number = 0;
        for (; !isOver; number += 1) await store.append(buildUnit(`wallet-${writer}`, number - 1, number));
        return number;
      }),
      (async () => {
        for (let kills = 0; kills < 4; kills += 1) {
          await recorder.waitForEvents(recorder.events.length + 500);
          await standIn.restart();
        }
        isOver = true;
        return 0;
      })(),
    ]);
    const stored = counts.reduce((sum, count) => sum + count, 0);
    await recorder.waitForEvents(stored);
    expect(recorder.events).toHaveLength(stored);
    expectInOrderWithoutGaps(recorder.events);
    expect((await standIn.state()).events).toBe(stored);
  });

  it('given a server that is too old, when a store is opened, then the error names the required version', async () => {
    const store = await open(PATIENT);
    await store.append(buildUnit('wallet-1', NO_STREAM, 1));
    await standIn.fail({ noPositions: true });
    await expect(open(IMPATIENT)).rejects.toThrow(/EventStoreDB 23.10 or newer/);
  });

  it('given a process that appends to one server, when it opens a store on another, then that fails', async () => {
    await open(IMPATIENT);
    await expect(EventStoreDbEventStore.open({ url: 'esdb://127.0.0.1:1?tls=false' })).rejects.toThrow(
      /one EventStoreDB/,
    );
  });

  it.each([
    ['not JSON', { amount: 1n }],
    ['too large', { note: 'x'.repeat(1_000_000) }],
  ])('given data that is %s, when it is appended, then it is rejected as a bug of the caller', async (_what, data) => {
    const store = await open(PATIENT);
    const [append] = buildUnit('wallet-1', NO_STREAM, 1);
    const unit = [{ ...append!, events: [{ ...append!.events[0]!, data }] }];
    await expect(store.append(unit)).rejects.toThrow(TypeError);
    await store.append(buildUnit('wallet-1', NO_STREAM, 2));
  });
});

it('given no server, when a store is opened, then the error says so without the password', async () => {
  const opening = EventStoreDbEventStore.open({
    url: 'esdb://admin:hidden-word@127.0.0.1:1?tls=false',
    limits: IMPATIENT,
  });
  await expect(opening).rejects.toThrow(StoreUnavailable);
  await expect(opening).rejects.not.toThrow(/hidden-word/);
});
