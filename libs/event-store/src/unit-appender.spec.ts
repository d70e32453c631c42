import { DeadlineExceededError, WrongExpectedVersionError } from '@eventstore/db-client';
import type { PreparedAppend } from './appending-client.js';
import { eventually } from '@settle/testing';
import { buildAppend, buildUnit, getOutcome } from '../test/contract.fixture.js';
import {
  AppendOutcomeUnknown,
  NO_STREAM,
  StoreUnavailable,
  type AppendUnit,
  type StreamAppend,
} from './event-store.js';
import { EVENT_STORE_DB_LIMITS } from './limits.js';
import type { ExistingEvent } from './reading-client.js';
import { UnitAppender } from './unit-appender.js';

const CONFLICT = new WrongExpectedVersionError(undefined as never, {
  streamName: 'wallet-1',
  current: 5n,
  expected: -1n,
});
const TIMEOUT = new DeadlineExceededError();
const onStored = () => undefined;

type Origin = 'this append' | 'an earlier append of the unit' | 'another writer';

/** Appends a unit to a server with these responses to appends and these origins of its existing events. */
async function append(unit: AppendUnit, responses: (Error | undefined)[], ...origins: Origin[]): Promise<unknown> {
  let sent: PreparedAppend | undefined;
  const appender = new UnitAppender({
    client: {
      append: async (append) => {
        sent = append;
        const response = responses.shift();
        if (response !== undefined) throw response;
        return undefined;
      },
    },
    readExisting: async ({ events }) => {
      const origin = origins.length > 1 ? origins.shift() : origins[0];
      return events.map(({ id }, index): ExistingEvent => {
        const eventId = origin === 'this append' ? (sent?.eventIds[index] ?? '') : `other-${index}`;
        return { id: origin === 'another writer' ? `other-${index}` : id, eventId, position: 70 + index };
      });
    },
    onStored,
    limits: EVENT_STORE_DB_LIMITS,
  });
  return appender.append(unit).catch((error: Error) => error.name);
}

/** Names an append by its stream and the revision of its first event. */
const nameOf = ({ stream, expectedRevision }: StreamAppend): string => `${stream}@${expectedRevision + 1}`;

describe('UnitAppender', () => {
  /** Payment 1 with two concurrent appends after the first. */
  const withConcurrent = (wallet: StreamAppend): AppendUnit => [
    buildAppend('payment-1', NO_STREAM, [1]),
    buildAppend('payment-1', 0, [2]),
    { ...wallet, isConcurrent: true },
  ];

  /** A server that responds to an append when the spec lets it. */
  class HeldServer {
    readonly sent: string[] = [];
    readonly #held = new Map<string, PromiseWithResolvers<undefined>>();
    readonly #eventIds = new Map<string, readonly string[]>();
    readonly appender = new UnitAppender({
      client: {
        append: (append) => {
          this.sent.push(nameOf(append));
          this.#eventIds.set(nameOf(append), append.eventIds);
          return this.#holdOf(nameOf(append)).promise;
        },
      },
      readExisting: async (append) => {
        const eventIds = this.#eventIds.get(nameOf(append)) ?? [];
        const isOther = append.stream === 'wallet-1';
        return append.events.map(({ id }, index) => ({
          id: isOther ? 'other' : id,
          eventId: eventIds[index] ?? '',
          position: 70,
        }));
      },
      onStored,
      limits: { ...EVENT_STORE_DB_LIMITS, appendGiveUpMs: 2_000, answerMs: 200 },
    });

    answer(name: string, error?: Error): void {
      if (error === undefined) this.#holdOf(name).resolve(undefined);
      else this.#holdOf(name).reject(error);
    }

    #holdOf(name: string): PromiseWithResolvers<undefined> {
      const hold = this.#held.get(name) ?? Promise.withResolvers<undefined>();
      this.#held.set(name, hold);
      return hold;
    }
  }

  it('given concurrent appends, when those before them are stored, then they are sent at the same time', async () => {
    const server = new HeldServer();
    const appended = server.appender.append(withConcurrent(buildAppend('wallet-2', NO_STREAM, [3])));
    expect(server.sent).toEqual(['payment-1@0']);
    server.answer('payment-1@0');
    await eventually(() => expect(server.sent).toEqual(['payment-1@0', 'payment-1@1', 'wallet-2@0']));
    server.answer('wallet-2@0');
    server.answer('payment-1@1');
    expect(await appended).toEqual({ position: 70 });
  });

  it('given concurrent appends, when the last one gets the lower position, then each is reported with its own', async () => {
    const positions: Record<string, bigint> = { 'payment-1@0': 7n, 'payment-1@1': 9n, 'wallet-2@0': 8n };
    const stored: Record<string, number> = {};
    const appender = new UnitAppender({
      client: {
        append: async (append) => {
          const position = positions[nameOf(append)] ?? 0n;
          return { commit: position, prepare: position };
        },
      },
      readExisting: () => Promise.resolve([]),
      onStored: (append, position) => (stored[nameOf(append)] = position),
      limits: EVENT_STORE_DB_LIMITS,
    });
    expect(await appender.append(withConcurrent(buildAppend('wallet-2', NO_STREAM, [3])))).toEqual({ position: 9 });
    expect(stored).toEqual({ 'payment-1@0': 7, 'payment-1@1': 9, 'wallet-2@0': 8 });
  });

  it('given concurrent appends of which one conflicts, when the other is stored, then the unit is a conflict', async () => {
    const server = new HeldServer();
    const outcome = getOutcome(server.appender.append(withConcurrent(buildAppend('wallet-1', NO_STREAM, [3]))));
    server.answer('payment-1@0');
    server.answer('wallet-1@0', CONFLICT);
    await eventually(() => expect(server.sent).toHaveLength(3));
    server.answer('payment-1@1');
    expect(await outcome).toBe('RevisionConflict');
  });

  it('given concurrent appends of which one conflicts and one gets no response, when they are given up, then the outcome is unknown', async () => {
    const server = new HeldServer();
    const outcome = getOutcome(server.appender.append(withConcurrent(buildAppend('wallet-1', NO_STREAM, [3]))));
    server.answer('payment-1@0');
    server.answer('wallet-1@0', CONFLICT);
    server.answer('payment-1@1', TIMEOUT);
    expect(await outcome).toBe('AppendOutcomeUnknown');
  });

  it('given a concurrent append that waits behind another unit, when the one beside it fails, then it is withdrawn', async () => {
    const server = new HeldServer();
    const other = server.appender.append(buildUnit('wallet-2', NO_STREAM, 9));
    const unit = [
      buildAppend('payment-1', NO_STREAM, [1]),
      buildAppend('wallet-1', NO_STREAM, [2]),
      { ...buildAppend('wallet-2', 0, [3]), isConcurrent: true },
    ];
    const outcome = getOutcome(server.appender.append(unit));
    server.answer('payment-1@0');
    server.answer('wallet-1@0', CONFLICT);
    expect(await outcome).toBe('RevisionConflict');
    server.answer('wallet-2@0');
    await other;
    expect(server.sent).not.toContain('wallet-2@1');
  });

  it('given a concurrent append that waits behind another unit, when the one beside it is stored, then the next unit of that stream is stored', async () => {
    const server = new HeldServer();
    const first = server.appender.append(buildUnit('wallet-2', NO_STREAM, 9));
    const appended = server.appender.append(withConcurrent(buildAppend('wallet-2', 0, [3])));
    const next = server.appender.append(buildUnit('payment-1', 1, 4));
    server.answer('payment-1@0');
    server.answer('payment-1@1');
    await next;
    expect(server.sent).not.toContain('wallet-2@1');
    for (const name of ['wallet-2@0', 'wallet-2@1']) server.answer(name);
    await Promise.all([first, appended]);
  });

  const unit = buildUnit('wallet-1', NO_STREAM, 1, 2);

  it.each<[Origin, unknown]>([
    ['this append', { position: 71 }],
    ['an earlier append of the unit', { position: 71 }],
    ['another writer', 'RevisionConflict'],
  ])(
    'given existing events of %s, when an append conflicts, also after a timeout, then their origin decides',
    async (origin, expected) => {
      expect(await append(unit, [TIMEOUT, CONFLICT], origin)).toEqual(expected);
      expect(await append(unit, [CONFLICT], origin)).toEqual(expected);
    },
  );

  it('given a response without a position, when an append succeeds, then its position is read from the stream', async () => {
    expect(await append(unit, [undefined], 'this append')).toEqual({ position: 71 });
  });

  it('given events that stand there and cannot be read, when the append is given up, then its outcome is unknown', async () => {
    const limits = { ...EVENT_STORE_DB_LIMITS, appendGiveUpMs: 300 };
    const readExisting = () => Promise.reject(new StoreUnavailable('no response'));
    const client = { append: () => Promise.reject(CONFLICT) };
    const appender = new UnitAppender({ client, readExisting, limits, onStored });
    await expect(appender.append(unit)).rejects.toThrow(AppendOutcomeUnknown);
  });

  it('given a unit that is refused because the queue is full, when the next one is decided on it, then that is a conflict', async () => {
    const { promise, resolve } = Promise.withResolvers<undefined>();
    const appender = new UnitAppender({
      client: { append: () => promise.then(() => ({ commit: 7n, prepare: 7n })) },
      readExisting: () => Promise.resolve([]),
      onStored,
      limits: { ...EVENT_STORE_DB_LIMITS, unitsWaiting: 1 },
    });
    const first = appender.append(buildUnit('payment-1', NO_STREAM, 1));
    const refused = getOutcome(appender.append(buildUnit('wallet-1', 0, 2)));
    resolve(undefined);
    await first;
    const next = getOutcome(appender.append(buildUnit('wallet-1', 1, 3)));
    expect(await Promise.all([refused, next])).toEqual(['StoreUnavailable', 'RevisionConflict']);
  });

  it('given a unit of two appends, when only one was stored before, then it is a conflict', async () => {
    const two = [...unit, ...buildUnit('wallet-2', NO_STREAM, 3)];
    const earlier = 'an earlier append of the unit';
    expect(await append(two, [CONFLICT, CONFLICT], earlier, earlier)).toEqual({ position: 71 });
    expect(await append(two, [CONFLICT, undefined], earlier, 'another writer')).toBe('RevisionConflict');
    expect(await append(two, [undefined, CONFLICT], 'this append', earlier)).toBe('RevisionConflict');
  });
});
