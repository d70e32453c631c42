import { DeadlineExceededError, WrongExpectedVersionError } from '@eventstore/db-client';
import type { PreparedAppend } from './appending-client.js';
import { buildUnit } from './contract.fixture.js';
import { NO_STREAM, type AppendUnit } from './event-store.js';
import { EVENT_STORE_DB_LIMITS } from './limits.js';
import type { ExistingEvent } from './reading-client.js';
import { UnitAppender } from './unit-appender.js';

const CONFLICT = new WrongExpectedVersionError(undefined as never, {
  streamName: 'wallet-1',
  current: 5n,
  expected: -1n,
});
const NO_ANSWER = new DeadlineExceededError();

type Whose = 'ours' | 'the same unit, sent earlier' | 'another';

/** Appends to a server that answers so, one answer after the other, and on which such events stand. */
async function outcome(unit: AppendUnit, answers: (Error | undefined)[], ...standing: Whose[]): Promise<unknown> {
  let sent: PreparedAppend | undefined;
  const appender = new UnitAppender({
    client: {
      append: async (append) => {
        sent = append;
        const answer = answers.shift();
        if (answer !== undefined) throw answer;
        return undefined;
      },
    },
    readExisting: async ({ events }) => {
      const whose = standing.length > 1 ? standing.shift() : standing[0];
      return events.map(({ id }, index): ExistingEvent => {
        const eventId = whose === 'ours' ? (sent?.eventIds[index] ?? '') : `other-${index}`;
        return { id: whose === 'another' ? `other-${index}` : id, eventId, position: 70 + index };
      });
    },
    limits: EVENT_STORE_DB_LIMITS,
  });
  return appender.append(unit).catch((error: Error) => error.name);
}

describe('a conflict', () => {
  const unit = buildUnit('wallet-1', NO_STREAM, 1, 2);

  it.each<[Whose, unknown]>([
    ['ours', { position: 71 }],
    ['the same unit, sent earlier', { position: 71 }],
    ['another', 'RevisionConflict'],
  ])(
    'given what stands there is %s, when it comes after a try without an answer, then that decides',
    async (whose, expected) => {
      expect(await outcome(unit, [NO_ANSWER, CONFLICT], whose)).toEqual(expected);
      expect(await outcome(unit, [CONFLICT], whose)).toEqual(expected);
    },
  );

  it('given a success without a position, when it comes, then the position is that of what stands there', async () => {
    expect(await outcome(unit, [undefined], 'ours')).toEqual({ position: 71 });
  });

  it('given a unit of two appends, when one stood there and the other not, then it is a conflict', async () => {
    const two = [...unit, ...buildUnit('wallet-2', NO_STREAM, 3)];
    const earlier = 'the same unit, sent earlier';
    expect(await outcome(two, [CONFLICT, CONFLICT], earlier, earlier)).toEqual({ position: 71 });
    expect(await outcome(two, [CONFLICT, undefined], earlier, 'another')).toBe('RevisionConflict');
    expect(await outcome(two, [undefined, CONFLICT], 'ours', earlier)).toBe('RevisionConflict');
  });
});
