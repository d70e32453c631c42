import { createLogger } from '@settle/observability';
import { ProjectionWaiter } from './projection-waiter.js';

/** Read models that reach positions when the spec says so. */
class ReadModels {
  position = 10;
  behindMs = 0;
  readonly waits: number[] = [];

  progress() {
    return { isProjecting: true, position: this.position, behindMs: this.behindMs, replacedTexts: 0 };
  }

  expectPosition(position: number): number {
    return position <= this.position ? 0 : this.behindMs;
  }

  waitForPosition(position: number): Promise<boolean> {
    this.waits.push(position);
    return Promise.resolve(true);
  }
}

describe('waits for the read models', () => {
  let models: ReadModels;
  const waiter = (servesAllReads: boolean) =>
    new ProjectionWaiter(models, servesAllReads, createLogger({ level: 'fatal', service: 'spec' }));

  beforeEach(() => (models = new ReadModels()));

  it('given other instances that serve reads, when a response and a read follow, then only the response waits', async () => {
    const several = waiter(false);
    await several.beforeResponse(12);
    await several.beforeRead();
    expect(models.waits).toEqual([12]);
  });

  it('given the only instance, when responses and a read follow, then the read alone waits, for the newest of them', async () => {
    const only = waiter(true);
    await only.beforeResponse(15);
    await only.beforeResponse(12);
    expect(models.waits).toEqual([]);
    await only.beforeRead();
    expect(models.waits).toEqual([15]);
  });

  it('given the only instance, when the read models have what was said, then nothing waits', async () => {
    const only = waiter(true);
    await only.beforeRead();
    await only.beforeResponse(15);
    models.position = 15;
    await only.beforeRead();
    expect(models.waits).toEqual([]);
  });

  it('given the only instance, when a decision asks for an earlier position than a response said, then it waits for that of the response', async () => {
    const only = waiter(true);
    await only.beforeResponse(15);
    await only.reached(12);
    await only.reached(20);
    expect(models.waits).toEqual([15, 20]);
  });

  it('given the only instance, when its read models have been behind for over 100 ms, then responses wait, too', async () => {
    const only = waiter(true);
    models.behindMs = 101;
    await only.beforeResponse(12);
    expect(models.waits).toEqual([12]);
  });
});
