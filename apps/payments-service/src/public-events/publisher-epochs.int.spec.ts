import { jest } from '@jest/globals';
import { TOPICS } from '@settle/contracts';
import { createLogger } from '@settle/observability';
import { eventually } from '@settle/testing';
import { ANN, pays } from '../../test/public-events/payment-lives.fixture.js';
import { PublishingLab, SpecTopic } from '../../test/public-events/publisher.fixture.js';
import { Clock } from '../storage/clock.js';
import { PAYMENT_EVENTS } from './published-topics.js';
import { PublishingRun } from './publishing-run.js';
import { raisePublicEventEpoch, readPublicEventEpoch } from './public-event-epoch.js';
import { epochOf } from './topic-contradiction.js';
import { FencedCheckpoint } from './fenced-checkpoint.js';

describe('the epoch of public events', () => {
  let lab: PublishingLab;
  let topic: SpecTopic;
  beforeEach(async () => {
    lab = await PublishingLab.open();
    topic = new SpecTopic();
  });
  afterEach(() => lab.close());

  it('given a broker that is new, when a publisher begins, then everything is published again under a higher epoch', async () => {
    await lab.append(...pays(30));
    const { publisher } = await lab.publisher(topic);
    await lab.expectAllIn(topic);
    await publisher.stop();

    const empty = new SpecTopic();
    await lab.publisher(empty);
    await eventually(() => expect(empty.events).toHaveLength(60));
    await lab.expectAllIn(empty);
    expect(new Set(empty.records.map(epochOf))).toEqual(new Set([2]));
    await expect(readPublicEventEpoch(lab.pool, TOPICS.paymentsEvents)).resolves.toEqual({ epoch: 2, filledEpoch: 2 });
  });

  it('given a topic to which no event belongs yet, when a publisher begins again, then its first record has the first epoch', async () => {
    const [events = []] = pays(1);
    const { position } = await lab.store.append([{ stream: `wallet-${ANN}`, expectedRevision: -1, events }]);
    const earlier = new FencedCheckpoint(lab.pool, TOPICS.paymentsEvents, 0);
    await earlier.claim();
    await expect(earlier.moveTo(position)).resolves.toBe(true);
    await lab.publisher(topic);
    await lab.append(...pays(1));
    await lab.expectAllIn(topic);
    expect(new Set(topic.records.map(epochOf))).toEqual(new Set([1]));
  });

  it('given a publisher that went on into a new topic, when the loss is noticed, then the next one fills the topic again', async () => {
    await lab.append(...pays(30));
    const { publisher } = await lab.publisher(topic);
    await lab.expectAllIn(topic);
    await topic.contents().deleteAll(() => true);
    await lab.append(...pays(1));
    await eventually(() => expect(topic.events).toHaveLength(2));
    await topic.reportLoss();
    await publisher.stop();

    await lab.publisher(topic);
    await eventually(() => expect(topic.events).toHaveLength(62));
    await lab.expectAllIn(topic);
    expect(new Set(topic.records.map(epochOf))).toEqual(new Set([2]));
  });

  it('given a raised epoch, when a publisher begins, then it empties the topic and fills it under that epoch', async () => {
    await lab.append(...pays(30));
    const { publisher } = await lab.publisher(topic);
    await lab.expectAllIn(topic);
    expect(new Set(topic.records.map(epochOf))).toEqual(new Set([1]));
    await publisher.stop();

    await raisePublicEventEpoch(lab.pool);
    await lab.publisher(topic);
    await eventually(() => expect(new Set(topic.records.map(epochOf))).toEqual(new Set([2])));
    await lab.expectAllIn(topic);
    expect(topic.records).toHaveLength(60);
    await expect(readPublicEventEpoch(lab.pool, TOPICS.paymentsEvents)).resolves.toEqual({ epoch: 2, filledEpoch: 2 });
  });

  it('given a publisher that is cut off while it empties the topic, when the next one has filled it, then the first deletes nothing any more', async () => {
    await lab.append(...pays(30));
    await raisePublicEventEpoch(lab.pool);
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    const { promise: reached, resolve: reach } = Promise.withResolvers<void>();
    topic.beforeDeleting = () => {
      topic.beforeDeleting = () => undefined;
      reach();
      return released;
    };
    const { cutOff } = await lab.publisher(topic);
    await reached;
    cutOff();
    await lab.publisher(topic);
    await lab.expectAllIn(topic);
    release();
    await lab.append(...pays(1));
    await lab.expectAllIn(topic);
    expect(topic.records).toHaveLength(62);
  });

  it('given a lease that was renewed late, when the topic is to be emptied, then the run tries again', async () => {
    await lab.append(...pays(2));
    await raisePublicEventEpoch(lab.pool);
    const isHeld = jest.fn(() => true).mockReturnValueOnce(false);
    const run = new PublishingRun({
      ...{ store: lab.store, pool: lab.pool, bus: topic, clock: new Clock(), isHeld, fence: 1 },
      logger: createLogger({ level: 'silent', service: 'spec' }),
      published: PAYMENT_EVENTS,
      isTopicAhead: () => Promise.resolve(false),
      after: Promise.resolve(),
    });
    await lab.expectAllIn(topic);
    await run.stop(1_000);
  });

  it('given a backup restored twice, when the epoch is raised to one that the topic has seen, then it goes above', async () => {
    await lab.append(...pays(2));
    topic.records.push({ key: '1', value: '{}', headers: { epoch: '2' } });
    await raisePublicEventEpoch(lab.pool);
    await lab.publisher(topic);
    await lab.expectAllIn(topic);
    expect(new Set(topic.records.map(epochOf))).toEqual(new Set([3]));
    await expect(readPublicEventEpoch(lab.pool, TOPICS.paymentsEvents)).resolves.toEqual({ epoch: 3, filledEpoch: 3 });
  });
});
