import { setTimeout as pause } from 'node:timers/promises';
import { residentBytes } from './cpu.mjs';
import { hasWrk } from './load.mjs';

/** So many that callers who wait leave enough others to come. */
const CALLERS = 4_000;
const TIMES_CAPACITY = 2;
const MANNERS = { patient: 'wait out Retry-After', rude: 'come again at once' };

/**
 * Measures the throughput under twice the load that can be served, relative to that with 64 in flight, measured
 * right before it. Null without wrk: another generator takes too much of the CPU to ask for twice the capacity.
 */
export async function measureOverload({ plan, load, product, request }) {
  if (!hasWrk) return null;
  const seconds = plan.overloadSeconds;
  const rows = [];
  let capacityPerSecond = 0;
  for (const [manners, name] of Object.entries(MANNERS)) {
    const capacity = (await load(request)).perSecond;
    capacityPerSecond ||= capacity;
    const memoryBytes = [residentBytes(product.pid)];
    const halfWay = pause((seconds * 1_000) / 2).then(() => memoryBytes.push(residentBytes(product.pid)));
    const wantedPerSecond = TIMES_CAPACITY * capacity;
    const plan = { ...request, inFlight: CALLERS, perSecond: wantedPerSecond, seconds, overload: manners };
    const measured = await load(plan);
    await halfWay;
    memoryBytes.push(residentBytes(product.pid));
    const perSecond = measured.served / measured.seconds;
    rows.push({
      ...{ ...measured, name, perSecond, memoryBytes },
      sentPerSecond: measured.perSecond,
      turnedAwayPerSecond: measured.turnedAway / measured.seconds,
      ratio: perSecond / capacity,
    });
  }
  return { rows, seconds, callers: CALLERS, capacityPerSecond, wantedPerSecond: TIMES_CAPACITY * capacityPerSecond };
}
