import type { Admin } from 'kafkajs';
import { TopicEnds } from './topic-ends.js';

describe('the ends of topics', () => {
  it('given a connection that is still opening, when the reader closes, then it is ended once it is open', async () => {
    const { promise: opened, resolve: open } = Promise.withResolvers<void>();
    const { promise: ended, resolve: end } = Promise.withResolvers<string>();
    const admin: Partial<Admin> = {
      connect: () => opened,
      disconnect: async () => end('ended'),
      fetchTopicOffsets: async () => [],
    };
    const ends = new TopicEnds({ createAdmin: () => admin as Admin, nameOf: (name) => name });
    const reading = ends.read(['payments.events.v1']);
    const closing = ends.close();
    open();
    await expect(ended).resolves.toBe('ended');
    await Promise.all([reading, closing]);
  });

  it('given two readings at once, when no connection is open, then they share one', async () => {
    let opened = 0;
    const admin: Partial<Admin> = {
      connect: async () => void (opened += 1),
      disconnect: async () => undefined,
      fetchTopicOffsets: async () => [{ partition: 0, offset: '2', low: '0', high: '2' }],
    };
    const ends = new TopicEnds({ createAdmin: () => admin as Admin, nameOf: (name) => name });
    const end = { topic: 'payments.events.v1', partition: 0, offset: 2 };
    const reading = () => ends.read(['payments.events.v1']);
    await expect(Promise.all([reading(), reading()])).resolves.toEqual([[end], [end]]);
    expect(opened).toBe(1);
    await ends.close();
  });
});
