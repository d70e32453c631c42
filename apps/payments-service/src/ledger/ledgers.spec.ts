import { LIMITS, readSettings } from '@settle/config';
import { InMemoryEventStore } from '@settle/event-store';
import { InMemoryBus } from '@settle/messaging';
import { createLogger } from '@settle/observability';
import { Clock } from '../storage/clock.js';
import { Ledgers } from './ledgers.js';
import { openPools } from '../storage/open-pools.js';
import { noSources } from '../transfer/funding.js';

describe('Ledgers', () => {
  it('given payments of both environments that wait for other owners, when all places are taken, then neither gets one more', () => {
    const logger = createLogger({ level: 'silent', service: 'ledgers' });
    const { live, sandbox } = new Ledgers({
      bus: new InMemoryBus({ logger }),
      settings: readSettings({ NODE_ENV: 'test' }),
      store: new InMemoryEventStore(),
      // Nothing is asked of them: no connection is opened.
      pools: openPools('postgres://127.0.0.1:1/none', 1),
      funding: noSources,
      logger,
      clock: new Clock(),
      isOnlyInstance: false,
    });
    const places = Array.from({ length: LIMITS.payments.waitingForOwners }, (_, index) =>
      (index % 2 === 0 ? sandbox : live).ownership.reserveWaitSlot(),
    );
    expect(places).not.toContain(null);
    expect([live.ownership.reserveWaitSlot(), sandbox.ownership.reserveWaitSlot()]).toEqual([null, null]);
    places[0]?.();
    expect(live.ownership.reserveWaitSlot()).not.toBeNull();
    expect(sandbox.ownership.reserveWaitSlot()).toBeNull();
  });
});
