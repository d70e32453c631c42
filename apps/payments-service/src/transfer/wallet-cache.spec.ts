import { InMemoryEventStore, type EventStore } from '@settle/event-store';
import { altered } from '../../test/ledger-lab/altered-store.fixture.js';
import { emptyWallet } from './transfer-progress.js';
import { WalletCache } from './wallet-cache.js';

describe('WalletCache', () => {
  it('given wallets that are not cached, when they are loaded, then their reads begin in one turn and are not repeated', async () => {
    const store = new InMemoryEventStore();
    let finish = () => {};
    const finished = new Promise<void>((resolve) => (finish = resolve));
    const begun: string[] = [];
    const readStream: EventStore['readStream'] = async (stream, options) => {
      begun.push(stream);
      await finished;
      return store.readStream(stream, options);
    };
    const options = { remembersSteps: false, emptyWallet: emptyWallet(0) };
    const wallets = new WalletCache(altered(store, { readStream }), options);
    const loads = [wallets.load(['1', '2']), wallets.load(['2', '3'])];
    expect(begun).toEqual(['wallet-1', 'wallet-2', 'wallet-3']);
    finish();
    await Promise.all(loads);
    await wallets.load(['1', '2', '3']);
    expect(begun).toHaveLength(3);
    expect([...wallets.tailsOf(['1', '2', '3']).keys()]).toEqual(['1', '2', '3']);
  });
});
