import { TOPICS, type LedgerWatermark } from '@settle/contracts';
import type { EventEnvelope } from '@settle/messaging';
import { createLogger } from '@settle/observability';
import { eventually } from '@settle/testing';
import { Clock } from '../storage/clock.js';
import { WatermarkWriter } from './watermark-writer.js';

const topic = TOPICS.ledgerEntries;

/** A bus with one partition that ends where the spec says. */
function aBus(offset: () => number) {
  const published: LedgerWatermark[] = [];
  return {
    published,
    publish: async ({ payload }: EventEnvelope) => void published.push(payload as LedgerWatermark),
    contents: () => {
      throw new Error('No topic is read');
    },
    ends: () => ({ read: async () => [{ topic, partition: 0, offset: offset() }], close: async () => undefined }),
  };
}

describe('the watermark writer', () => {
  const common = { clock: new Clock(), logger: createLogger({ level: 'silent', service: 'spec' }) };

  it('given a topic that grows meanwhile, when a watermark is written, then its position was reached before its offset was read', async () => {
    let filled = 7;
    // Records that are published between the two readings have a higher position and a lower offset.
    const bus = aBus(() => (filled += 10));
    const progress = () => [{ topic, position: filled, epoch: 2 }] as const;
    const writer = new WatermarkWriter({ ...common, bus, progress, isHeld: () => true });
    writer.start();
    await eventually(() => expect(bus.published.length).toBeGreaterThan(0));
    await writer.stop();
    expect(bus.published[0]).toMatchObject({
      type: 'LedgerWatermark',
      partitions: [{ topic, partition: 0, position: 7, offset: 17, epoch: 2 }],
    });
  });

  it('given an instance that has lost the lease, or no topic that is filled, when it would write, then it writes nothing', async () => {
    let readings = 0;
    const bus = aBus(() => (readings += 1));
    const progress = () => [{ topic, position: 7, epoch: 1 }] as const;
    const lost = new WatermarkWriter({ ...common, bus, progress, isHeld: () => false });
    const waiting = new WatermarkWriter({ ...common, bus, progress: () => [], isHeld: () => true });
    for (const each of [lost, waiting]) each.start();
    await eventually(() => expect(readings).toBe(1));
    for (const each of [lost, waiting]) await each.stop();
    expect(bus.published).toEqual([]);
  });
});
