import { LIMITS, readSettings } from '@settle/config';
import { InMemoryEventStore } from '@settle/event-store';
import { InMemoryBus } from '@settle/messaging';
import { createLogger } from '@settle/observability';
import { PaymentTexts } from '../data-keys/payment-texts.js';
import { Clock } from '../storage/clock.js';
import { Ledgers } from './ledgers.js';
import { openPools } from '../storage/open-pools.js';
import { noSources } from '../transfer/funding.js';

describe('Ledgers', () => {
  it('given payments of both environments that wait for other owners, when all places are taken, then neither gets one more', async () => {
    const logger = createLogger({ level: 'silent', service: 'ledgers' });
    // Nothing is asked of them: no connection is opened.
    const pools = openPools('postgres://127.0.0.1:1/none', 1);
    const { live, sandbox } = new Ledgers({
      bus: new InMemoryBus({ logger }),
      settings: readSettings({ NODE_ENV: 'test' }),
      store: new InMemoryEventStore(),
      pools,
      texts: new PaymentTexts(null, pools.live.pool),
      funding: noSources,
      provider: null,
      logger,
      clock: new Clock(),
      isOnlyInstance: false,
    });
    const places = Array.from({ length: LIMITS.payments.waitingForOwners }, (_, index) =>
      (index % 2 === 0 ? sandbox : live).waitSlots.acquire(),
    );
    expect(await Promise.all(places)).not.toContain(false);
    expect([await live.waitSlots.acquire(), await sandbox.waitSlots.acquire()]).toEqual([false, false]);
    sandbox.waitSlots.release();
    expect(await live.waitSlots.acquire()).toBe(true);
    expect(await sandbox.waitSlots.acquire()).toBe(false);
  });
});
