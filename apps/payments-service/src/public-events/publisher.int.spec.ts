import { jest } from '@jest/globals';
import { TOPICS } from '@settle/contracts';
import { openEventStoreDb } from '@settle/event-store';
import { EventStoreDbStandIn, eventually } from '@settle/testing';
import fc from 'fast-check';
import { ANN, lives, pays } from '../../test/public-events/payment-lives.fixture.js';
import { raisePublicEventEpoch } from './public-event-epoch.js';
import { FencedCheckpoint } from './fenced-checkpoint.js';
import { PublishingLab, SpecTopic } from '../../test/public-events/publisher.fixture.js';
import { epochOf } from './topic-contradiction.js';

/** The lease ends after 1.5 s; the rest is for a busy machine. */
const TAKEOVER_MS = 15_000;

/** A promise, and what resolves it. */
function gate() {
  let open!: () => void;
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { opened, open };
}

describe('the publisher', () => {
  let lab: PublishingLab;
  let topic: SpecTopic;
  beforeEach(async () => {
    lab = await PublishingLab.open();
    topic = new SpecTopic();
  });
  afterEach(() => lab.close());

  it('given every kind of life, when it is published, then the topic holds exactly the streams, in order', async () => {
    const streams = new Map(fc.sample(lives, 400).flatMap((life) => life.map((events) => [events[0]!.stream, events])));
    await lab.append(...[...streams.values()].map((events) => events.slice(0, 1)));
    const { publisher } = await lab.publisher(topic);
    await lab.expectAllIn(topic);
    for (const [stream, [, ...ends]] of streams) {
      if (ends.length > 0) await lab.store.append([{ stream, expectedRevision: 0, events: ends }]);
    }
    await lab.expectAllIn(topic);
    expect(publisher.progress()).toEqual({ isPublishing: true, position: await lab.position(), behindMs: 0 });
  });

  it('given the events in EventStoreDB, when they are published, then the topic holds exactly the streams', async () => {
    const standIn = await EventStoreDbStandIn.start();
    const elsewhere = await PublishingLab.open(await openEventStoreDb({ url: standIn.url }));
    try {
      await elsewhere.append(...pays(40));
      const { publisher } = await elsewhere.publisher(topic);
      await elsewhere.expectAllIn(topic);
      await publisher.stop();
      await elsewhere.append(...pays(40));
      await elsewhere.publisher(topic);
      await elsewhere.expectAllIn(topic);
    } finally {
      await elsewhere.close();
      await standIn.stop();
    }
  });

  // Shows sandbox-25
  it('given events of wallets and the sandbox, when they are read, then none is published', async () => {
    const [events = []] = pays(1);
    for (const stream of [`wallet-${ANN}`, 'sandbox-payment-1', 'deposit-1']) {
      await lab.store.append([{ stream, expectedRevision: -1, events }]);
    }
    await lab.append(...pays(1));
    await lab.publisher(topic);
    await lab.expectAllIn(topic);
    expect(topic.events).toHaveLength(2);
  });

  it('given a publisher that stops in the middle, when another goes on, then nothing is passed over', async () => {
    await lab.append(...pays(1_500));
    const enough = gate();
    topic.before = () => void (topic.events.length > 900 && enough.open());
    const { publisher } = await lab.publisher(topic);
    await enough.opened;
    await publisher.stop();
    await lab.append(...pays(20));
    await lab.publisher(topic);
    await lab.expectAllIn(topic);
  });

  it('given a broker that refuses, when it takes records again, then none was passed over and orders hold', async () => {
    topic.refusals = 250;
    await lab.append(...pays(60));
    await lab.publisher(topic);
    await lab.append(...pays(60));
    await lab.expectAllIn(topic);
    expect(topic.refusals).toBe(0);
  });

  it('given two instances, when the one that publishes is cut off, then the other goes on once the lease has ended', async () => {
    const first = await lab.publisher(topic);
    const second = await lab.publisher(topic);
    expect([first, second].map(({ publisher }) => publisher.progress().isPublishing)).toEqual([true, false]);
    await lab.append(...pays(50));
    await lab.expectAllIn(topic);

    first.cutOff();
    const cutOffAtMs = performance.now();
    await lab.append(...pays(50));
    await eventually(() => expect(second.publisher.progress().isPublishing).toBe(true));
    expect(performance.now() - cutOffAtMs).toBeLessThan(TAKEOVER_MS);
    expect(first.publisher.progress().isPublishing).toBe(false);
    await lab.expectAllIn(topic);
  });

  it('given two instances, when the one that publishes stops, then the other goes on', async () => {
    const first = await lab.publisher(topic);
    const second = await lab.publisher(topic);
    await first.publisher.stop();
    await eventually(() => expect(second.publisher.progress().isPublishing).toBe(true));
    await lab.append(...pays(10));
    await lab.expectAllIn(topic);
  });

  it('given a publisher that is blocked until another has the lease, when it continues, then it sends and changes nothing', async () => {
    await lab.append(...pays(200));
    const slow = new SpecTopic();
    const wake = gate();
    slow.before = () => wake.opened;
    const first = await lab.publisher(slow);
    first.cutOff();
    await lab.publisher(topic);
    await lab.expectAllIn(topic);

    const position = await lab.position();
    wake.open();
    await first.publisher.stop();
    // Records that were in flight when it was blocked arrive; later ones do not.
    expect(slow.events.filter(({ revision }) => revision > 0)).toEqual([]);
    expect(await lab.position()).toBe(position);
  });

  it('given a newer fence, when an older publisher moves the position, then it cannot', async () => {
    const [older, newer] = [
      new FencedCheckpoint(lab.pool, TOPICS.paymentsEvents, 1),
      new FencedCheckpoint(lab.pool, TOPICS.paymentsEvents, 2),
    ];
    await expect(older.claim()).resolves.toBe(0);
    await expect(older.moveTo(5)).resolves.toBe(true);
    await expect(newer.claim()).resolves.toBe(5);
    await expect(older.moveTo(7)).resolves.toBe(false);
    await expect(older.claim()).resolves.toBeNull();
    expect(await lab.position()).toBe(5);
  });

  it('given a topic ahead of the ledger, when a publisher begins, then it says so and adds nothing until the epoch is raised', async () => {
    const [lost = []] = pays(1);
    for (const event of lost) {
      const headers = { 'event-id': event.id, position: '1000', revision: String(event.revision), epoch: '1' };
      topic.records.push({ key: event.stream.replace('payment-', ''), value: '{}', headers });
    }
    await lab.append(...pays(20));
    const claims = jest.spyOn(FencedCheckpoint.prototype, 'claim');
    const { publisher } = await lab.publisher(topic);
    const says = 'holds an event that the ledger does not have';
    await eventually(() => expect(lab.lines.filter((line) => line.includes(says))).toHaveLength(1));
    expect(topic.events).toEqual([]);
    expect(publisher.progress()).toMatchObject({ isPublishing: true, position: 0 });
    // Pauses of 40, 80 and 160 ms stand between the next four tries.
    const fromMs = performance.now();
    claims.mockClear();
    await eventually(() => expect(claims.mock.calls.length).toBeGreaterThanOrEqual(4));
    expect(performance.now() - fromMs).toBeGreaterThan(270);
    claims.mockRestore();

    await raisePublicEventEpoch(lab.pool);
    await lab.expectAllIn(topic);
    expect(new Set(topic.records.map(epochOf))).toEqual(new Set([2]));
    expect(lab.lines.filter((line) => line.includes(says))).toHaveLength(1);
  });

  it('given a broker that does not answer, when it is looked at and stopped, then it is late and ends in time', async () => {
    await lab.append(...pays(1, (Date.now() - 60_000) * 1_000));
    topic.before = () => new Promise(() => undefined);
    const { publisher } = await lab.publisher(topic);
    await eventually(() => expect(publisher.progress().behindMs).toBeGreaterThan(59_000));
    const stoppedAtMs = performance.now();
    await publisher.stop();
    expect(performance.now() - stoppedAtMs).toBeLessThan(15_000);
    expect(await lab.position()).toBe(0);
  });
});
