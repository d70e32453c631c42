import { DeadlineExceededError, WrongExpectedVersionError } from '@eventstore/db-client';
import { outcomeOf, unitOf } from './contract.fixture.js';
import { NO_STREAM, type StoredEvent, type StreamAppend } from './event-store.js';
import { EVENT_STORE_DB_LIMITS } from './limits.js';
import { UnitAppender } from './unit-appender.js';

const conflict = () =>
  new WrongExpectedVersionError(undefined as never, { streamName: 'wallet-1', current: 5n, expected: -1n });
const storedAs = ({ stream, events }: StreamAppend, ids: readonly string[]): StoredEvent[] =>
  events.map(({ type, data }, revision) => ({
    id: ids[revision]!,
    stream,
    revision,
    type,
    data,
    position: 70 + revision,
  }));

/** An appender whose server answers as told, one answer after the other. */
function appenderOn(answers: (Error | undefined)[], standingIds: (append: StreamAppend) => string[]): UnitAppender {
  return new UnitAppender({
    client: {
      append: async () => {
        const answer = answers.shift();
        if (answer !== undefined) throw answer;
        return undefined;
      },
    },
    standing: async (append) => storedAs(append, standingIds(append)),
    limits: EVENT_STORE_DB_LIMITS,
  });
}

const ownIds = ({ events }: StreamAppend) => events.map(({ id }) => id);
const otherIds = ({ events }: StreamAppend) => events.map(() => 'other');

describe('a conflict', () => {
  const unit = unitOf('wallet-1', NO_STREAM, 1, 2);

  it('given a try without an answer before it, when our events stand there, then the unit is stored', async () => {
    const appender = appenderOn([new DeadlineExceededError(), conflict()], ownIds);
    expect(await appender.append(unit)).toEqual({ position: 71 });
  });

  it('given a try without an answer before it, when others stand there, then it is a conflict', async () => {
    const appender = appenderOn([new DeadlineExceededError(), conflict()], otherIds);
    expect(await outcomeOf(appender.append(unit))).toBe('RevisionConflict');
  });

  it('given it is the first answer, when it comes, then nothing is looked up', async () => {
    const appender = appenderOn([conflict()], ownIds);
    expect(await outcomeOf(appender.append(unit))).toBe('RevisionConflict');
  });

  it('given a success without a position, when it comes, then the position is that of what stands there', async () => {
    expect(await appenderOn([undefined], ownIds).append(unit)).toEqual({ position: 71 });
  });
});
