import { TOPICS } from '@settle/contracts';
import { EACH_INSTANCE, type EventEnvelope } from '../src/message-bus.js';
import { collector, tell, type BusUnderTest } from './bus-under-test.fixture.js';

/** The part of the contract about events. */
export function eventsAreFollowed(bus: () => BusUnderTest): void {
  it('given two groups, when events are published, then each group gets each of them, those of a key in order', async () => {
    const groups = [collector<EventEnvelope>(200), collector<EventEnvelope>(200)] as const;
    for (const [index, group] of groups.entries()) {
      bus().server.consume(TOPICS.usersState, 'contract.told', `contract-group-${index}`, async (events) => {
        group.add(...events);
      });
    }
    await bus().ready();
    const numbers = Array.from({ length: 100 }, (_, n) => n);
    await Promise.all(numbers.flatMap((n) => ['a', 'b'].map((key) => bus().caller.publish(tell({ n }, key)))));
    for (const group of groups) {
      const events = await group.all;
      for (const key of ['a', 'b']) {
        const own = events.filter((event) => event.key === key).map((event) => event.payload);
        expect(own).toEqual(numbers.map((n) => ({ n })));
      }
    }
  });

  it('given events from before, when each instance follows, then it is given those that come, and all of them', async () => {
    await bus().caller.publish(tell({ n: 0 }));
    const told = collector<EventEnvelope>(2);
    bus().server.consume(TOPICS.usersState, 'contract.told', EACH_INSTANCE, async (events) => told.add(...events));
    await bus().ready();
    await bus().caller.publish(tell({ n: 1 }));
    await bus().caller.publish(tell({ n: 2 }));
    expect((await told.all).map((event) => event.payload)).toEqual([{ n: 1 }, { n: 2 }]);
  });

  it('given an instance that leaves, when events are published, then no publisher waits for it', async () => {
    await bus().server.consume(TOPICS.usersState, 'contract.told', EACH_INSTANCE, async () => undefined)();
    await bus().caller.publish(tell({ n: 1 }));
  });

  it('given a deletion, when published, then its null arrives after what was published before', async () => {
    const told = collector<EventEnvelope>(2);
    bus().server.consume(TOPICS.usersState, 'contract.told', 'deletion', async (events) => told.add(...events));
    await bus().ready();
    await bus().caller.publish(tell({ n: 1 }));
    await bus().caller.publish(tell(null));
    expect((await told.all).map((event) => event.payload)).toEqual([{ n: 1 }, null]);
  });

  it('given a follower that fails at first, when events are published, then it is given them again, in order', async () => {
    const told = collector<EventEnvelope>(3);
    let failures = 2;
    bus().server.consume(TOPICS.usersState, 'contract.told', 'contract-failing', async (events) => {
      failures -= 1;
      if (failures >= 0) throw new Error('not yet');
      told.add(...events);
    });
    await bus().ready();
    await Promise.all([1, 2, 3].map((n) => bus().caller.publish(tell({ n }))));
    expect((await told.all).map((event) => event.payload)).toEqual([{ n: 1 }, { n: 2 }, { n: 3 }]);
  });
}
