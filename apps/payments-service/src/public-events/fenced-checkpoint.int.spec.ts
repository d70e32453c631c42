import { TOPICS } from '@settle/contracts';
import { PublishingLab } from '../../test/public-events/publisher.fixture.js';
import { FencedCheckpoint } from './fenced-checkpoint.js';

describe('a fenced checkpoint', () => {
  let lab: PublishingLab;
  beforeEach(async () => {
    lab = await PublishingLab.open();
  });
  afterEach(() => lab.close());

  const claimed = async (fence: number) => {
    const checkpoint = new FencedCheckpoint(lab.pool, TOPICS.paymentsEvents, fence);
    return { checkpoint, position: await checkpoint.claim() };
  };

  it('given a position, when it is claimed with a larger fence, then it is kept, and the earlier holder moves it no more', async () => {
    const first = await claimed(1);
    await expect(first.checkpoint.moveTo(10)).resolves.toBe(true);
    const second = await claimed(2);
    expect([first.position, second.position]).toEqual([0, 10]);
    await expect(first.checkpoint.moveTo(11)).resolves.toBe(false);
    expect((await claimed(3)).position).toBe(10);
  });

  it('given a position that was moved back and then on, when it is claimed, then it is where it was moved to', async () => {
    await (await claimed(1)).checkpoint.moveTo(10);
    const { checkpoint } = await claimed(2);
    await expect(checkpoint.moveTo(0)).resolves.toBe(true);
    expect((await claimed(3)).position).toBe(0);

    const filling = (await claimed(4)).checkpoint;
    await filling.moveTo(3);
    expect((await claimed(5)).position).toBe(3);
  });

  it('given a larger fence, when an earlier holder moves the position back, then nothing changes', async () => {
    const { checkpoint } = await claimed(1);
    await checkpoint.moveTo(10);
    await claimed(2);
    await expect(checkpoint.moveTo(0)).resolves.toBe(false);
    expect((await claimed(3)).position).toBe(10);
  });
});
