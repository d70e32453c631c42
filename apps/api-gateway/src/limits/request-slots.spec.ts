import { LIMITS } from '@settle/config';
import { RequestSlots, type SlotHolder } from './request-slots.js';

const TOTAL = 8;
const HALF = TOTAL / 2;
const FULL = expect.objectContaining({ code: 'service_unavailable' });

let slots: RequestSlots;
beforeEach(() => {
  slots = new RequestSlots({ total: TOTAL, perAddress: 2 });
});

/** Slots of one app, taken at once. */
const taken = (appId: string, count: number): SlotHolder[] =>
  Array.from({ length: count }, () => slots.takeForApp(appId) as SlotHolder);

/** How a request ends: `waiting` while it has no slot. */
function outcomeOf(slot: SlotHolder | Promise<SlotHolder>): { now: string } {
  const outcome = { now: 'waiting' };
  Promise.resolve(slot).then(
    () => (outcome.now = 'admitted'),
    () => (outcome.now = 'refused'),
  );
  return outcome;
}

const settled = () => new Promise(setImmediate);

describe('slots of apps', () => {
  it('given one app alone, when it asks, then it has every slot, and one more is refused at once', () => {
    const held = taken('a', TOTAL);
    expect(held.at(-1)).toMatchObject({ inUse: TOTAL });
    expect(() => slots.takeForApp('a')).toThrow(FULL);
    slots.release(held[0] as SlotHolder);
    expect(slots.takeForApp('a')).toMatchObject({ inUse: TOTAL });
  });

  // Shows limit-21
  it('given an app with every slot, when another asks, then it gets the next ones, until each has half', async () => {
    const [first] = taken('a', TOTAL) as [SlotHolder];
    const others = Array.from({ length: HALF }, () => outcomeOf(slots.takeForApp('b')));
    expect(slots.refusesApp('b')).toBe(true);
    expect(() => slots.takeForApp('b')).toThrow(FULL);
    for (let admitted = 1; admitted <= HALF; admitted += 1) {
      expect(() => slots.takeForApp('a')).toThrow(FULL);
      slots.release(first);
      await settled();
      expect(others.filter(({ now }) => now === 'admitted')).toHaveLength(admitted);
    }
    // Now each has half: both are refused, and the next slot is for the first to come.
    expect([slots.refusesApp('a'), slots.refusesApp('b')]).toEqual([true, true]);
    slots.release(first);
    expect(slots.takeForApp('c')).toMatchObject({ inUse: 1 });
  });

  it('given that no slot comes free, when a request has waited for a second, then it is refused', async () => {
    taken('a', TOTAL);
    const beganAtMs = performance.now();
    const late = outcomeOf(slots.takeForApp('b'));
    await expect(slots.takeForApp('c')).rejects.toEqual(FULL);
    expect(performance.now() - beganAtMs).toBeGreaterThanOrEqual(LIMITS.gateway.slotWaitMs - 5);
    expect(late.now).toBe('refused');
    expect(slots.refusesApp('b')).toBe(false);
  });

  it('given more apps than are kept, when they come and go, then the count of the busy ones is right', () => {
    const [busy] = taken('busy', HALF) as [SlotHolder];
    for (let app = 0; app < LIMITS.gateway.appsKept + 50; app += 1)
      slots.release(taken(String(app), 1)[0] as SlotHolder);
    expect(slots.takeForApp('busy')).toBe(busy);
    expect(busy.inUse).toBe(HALF + 1);
  });
});

describe('slots of requests without a valid token', () => {
  it('given an address with as many as it may have, when it asks again, then it alone is refused', () => {
    const [first] = [slots.takeForAddress('192.0.2.1'), slots.takeForAddress('192.0.2.1')] as [SlotHolder, SlotHolder];
    expect(() => slots.takeForAddress('192.0.2.1')).toThrow(expect.objectContaining({ code: 'rate_limited' }));
    expect(slots.takeForAddress('192.0.2.2')).toMatchObject({ inUse: 1 });
    slots.release(first);
    expect(slots.takeForAddress('192.0.2.1')).toMatchObject({ inUse: 2 });
  });

  // Shows limit-22
  it('given requests from many addresses, when they have half of the slots, then the others are left to apps', async () => {
    const held = Array.from({ length: HALF }, (_, address) => slots.takeForAddress(`192.0.2.${address}`) as SlotHolder);
    expect(() => slots.takeForAddress('192.0.2.0')).toThrow(FULL);
    const quiet = outcomeOf(slots.takeForAddress('192.0.2.100'));
    expect(() => slots.takeForAddress('192.0.2.100')).toThrow(FULL);
    expect(taken('a', HALF).at(-1)).toMatchObject({ inUse: HALF });
    slots.release(held[0] as SlotHolder);
    await settled();
    expect(quiet.now).toBe('admitted');
  });

  it('given an app with every slot, when an address asks, then it gets the next one', async () => {
    const [first] = taken('a', TOTAL) as [SlotHolder];
    const page = outcomeOf(slots.takeForAddress('192.0.2.1'));
    slots.release(first);
    await settled();
    expect(page.now).toBe('admitted');
  });
});
