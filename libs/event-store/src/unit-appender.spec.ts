import { DeadlineExceededError, WrongExpectedVersionError } from '@eventstore/db-client';
import type { PreparedAppend } from './appending-client.js';
import { buildUnit } from '../test/contract.fixture.js';
import { NO_STREAM, type AppendUnit } from './event-store.js';
import { EVENT_STORE_DB_LIMITS } from './limits.js';
import type { ExistingEvent } from './reading-client.js';
import { UnitAppender } from './unit-appender.js';

const CONFLICT = new WrongExpectedVersionError(undefined as never, {
  streamName: 'wallet-1',
  current: 5n,
  expected: -1n,
});
const TIMEOUT = new DeadlineExceededError();

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
    limits: EVENT_STORE_DB_LIMITS,
  });
  return appender.append(unit).catch((error: Error) => error.name);
}

describe('UnitAppender', () => {
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

  it('given a unit of two appends, when only one was stored before, then it is a conflict', async () => {
    const two = [...unit, ...buildUnit('wallet-2', NO_STREAM, 3)];
    const earlier = 'an earlier append of the unit';
    expect(await append(two, [CONFLICT, CONFLICT], earlier, earlier)).toEqual({ position: 71 });
    expect(await append(two, [CONFLICT, undefined], earlier, 'another writer')).toBe('RevisionConflict');
    expect(await append(two, [undefined, CONFLICT], 'this append', earlier)).toBe('RevisionConflict');
  });
});
