import { EventStoreDbStandIn, eventually, FreezingPath } from '@settle/testing';
import { buildUnit, getNumbers, getOutcome, readAll } from '../test/contract.fixture.js';
import { NO_STREAM } from './event-store.js';
import { EventStoreDbEventStore } from './eventstoredb-event-store.js';

const STREAM = 'wallet-of-many-units';
const NUMBERS = Array.from({ length: 50 }, (_, number) => number);
/** The first unit is sent at once; those behind it are sent as one append when it is stored. */
const UNITS = NUMBERS.map((number) => buildUnit(STREAM, number - 1, number));
/** A text of the last unit, which is in the message of the group alone. */
const LAST_OF_GROUP = `"number":${NUMBERS.at(-1)},`;
/** More than the rest of the message has. */
const WHOLE = 10_000;
/** Longer than it takes to kill the server. */
const HELD_MS = 500;

interface Cut {
  readonly when: string;
  /** The bytes of the message that pass after its last unit began. */
  readonly bytesAfter: number;
  readonly delayMs: number;
  /** The events that the server stores before it is killed. */
  readonly stored: number;
}

const CUTS: readonly Cut[] = [
  { when: 'before the server has all of it', bytesAfter: 0, delayMs: 0, stored: 1 },
  { when: 'while the server processes it', bytesAfter: WHOLE, delayMs: HELD_MS, stored: 1 },
  { when: 'after the server has stored it', bytesAfter: WHOLE, delayMs: 0, stored: NUMBERS.length },
];

describe('one append of many units that is cut off', () => {
  let standIn: EventStoreDbStandIn;
  let path: FreezingPath;
  let store: EventStoreDbEventStore;

  beforeEach(async () => {
    standIn = await EventStoreDbStandIn.start();
    path = await FreezingPath.to(standIn.url);
    const limits = { answerMs: 2_000, appendGiveUpMs: 4_000, unitWaitMs: 20_000, readGiveUpMs: 20_000 };
    store = await EventStoreDbEventStore.open({ url: path.url, limits });
  });
  afterEach(async () => {
    path.thaw();
    await store.close();
    await path.close();
    await standIn.stop();
  });

  it.each(CUTS)(
    'given a server that is killed $when, when each unit is repeated after its unknown outcome, then each is stored once',
    async ({ bytesAfter, delayMs, stored }) => {
      await store.append(buildUnit('wallet-1', NO_STREAM, 1));
      await standIn.fail({ delayMs });
      const isCut = path.freezeInside(LAST_OF_GROUP, bytesAfter);
      const outcomes = Promise.all(UNITS.map((unit) => getOutcome(store.append(unit))));
      await isCut;
      await eventually(async () => expect((await standIn.state()).events).toBeGreaterThanOrEqual(1 + stored));
      await standIn.kill();
      expect(new Set((await outcomes).slice(1))).toEqual(new Set(['AppendOutcomeUnknown']));

      await standIn.restart();
      path.thaw();
      await eventually(async () => {
        const repeated = await Promise.all(UNITS.map((unit) => getOutcome(store.append(unit))));
        expect(repeated).toEqual(NUMBERS.map(() => 'stored'));
      });
      expect(getNumbers(await readAll(store, STREAM))).toEqual(NUMBERS);
      expect((await standIn.state()).events).toBe(1 + NUMBERS.length);
    },
  );
});
