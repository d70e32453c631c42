import { setTimeout as pause } from 'node:timers/promises';
import type { EventStoreUnderFaults } from './event-store.fixture.js';
import { once, PAUSE_MS, waitUntilAllReady, type Fault } from './fault.fixture.js';
import type { StackUnderFaults } from './stack-under-faults.fixture.js';

const eventStoreOf = ({ eventStore }: StackUnderFaults): EventStoreUnderFaults => {
  if (eventStore === null) throw new Error('The events of this stack are in PostgreSQL');
  return eventStore;
};

/** Faults of the log, where events are in EventStoreDB. */
export const EVENT_STORE_FAULTS: readonly Fault[] = [
  {
    name: 'kill -9 of EventStoreDB',
    times: 10,
    shortTimes: 2,
    isHarmless: false,
    async strike(under, _turn, struck) {
      const shape = await under.stack.status();
      await eventStoreOf(under).restart();
      // The promised time counts from the start of the process.
      struck();
      await waitUntilAllReady(shape);
    },
  },
  {
    ...once,
    name: `EventStoreDB suspended for ${PAUSE_MS / 1_000} s`,
    times: 3,
    async strike(under, _turn, struck) {
      const shape = await under.stack.status();
      eventStoreOf(under).freeze();
      await pause(PAUSE_MS);
      eventStoreOf(under).thaw();
      struck();
      await waitUntilAllReady(shape);
    },
  },
];
